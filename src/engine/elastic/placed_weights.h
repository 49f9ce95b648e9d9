#pragma once
// Packed weights of a plain file at addresses that stay, whose pages come
// before a node reads them and go afterwards, or stay. Kernels are bound to the
// addresses and need not know.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/io/block_reader.h"
#include "core/platform/file.h"
#include "core/platform/reserved_pages.h"
#include "weights/package/packed_weights.h"

namespace stint {

struct PlacedCounts {
  int64_t bytes_read = 0;
  int64_t waits = 0;
  int64_t wait_ns = 0;
};

// Used by the thread that runs, which also starts and ends reads: storage works
// while it computes, as far ahead as the reader's depth and the ring allow.
class PlacedWeights {
 public:
  // `packed` has parts in `file`, which was checked when it was opened. Whole
  // pages of them are read later; what they share with others is copied now.
  static Result<std::unique_ptr<PlacedWeights>> Create(
      std::shared_ptr<const MappedFile> file,
      std::unique_ptr<BlockReader> reader, const PackedTable& packed);
  ~PlacedWeights();

  // The same weights at their places here.
  const PackedTable& packed() const { return packed_; }
  int64_t bytes() const { return bytes_; }  // of all weights that are read
  int64_t BytesOf(const std::string& node) const;

  // In which order nodes run. Those that are not packed are left out.
  void SetOrder(const std::vector<std::string>& nodes);
  // Reads everything, to stay.
  Status ReadAll();

  // A run through a ring: at most `ring_bytes`, which have room for the
  // weights of any node, are in memory at a time.
  void BeginRun(int64_t ring_bytes);
  // Waits for the node's weights; kCancelled when they do not come within
  // `timeout_ns`.
  Status Await(const std::string& node, int64_t timeout_ns);
  void Release(const std::string& node);
  // Finished or not: waits for reads in flight and gives everything back.
  void EndRun();

  PlacedCounts counts() const { return counts_; }

 private:
  struct Range {
    int64_t offset = 0;  // in the file
    int64_t bytes = 0;
  };
  struct NodeWeights {
    std::vector<Range> ranges;
    int64_t bytes = 0;
    int pending = 0;  // reads that are still to be done
  };
  struct Read {
    NodeWeights* node;
    Range range;
  };

  explicit PlacedWeights(std::unique_ptr<BlockReader> reader)
      : reader_(std::move(reader)) {}
  Status Place(const std::shared_ptr<const MappedFile>& file,
               const PackedTable& packed);
  uint8_t* At(int64_t offset) const { return memory_.data() + offset; }
  void Discard(const NodeWeights& node);
  // As many as there is room for.
  Status StartReads();
  // Ends one read; false when none is done in time.
  Result<bool> FinishRead(int64_t timeout_ns);

  const std::unique_ptr<BlockReader> reader_;
  ReservedPages memory_;  // as large as the file
  PackedTable packed_;
  std::map<std::string, NodeWeights, std::less<>> nodes_;
  std::vector<Read> reads_;  // of a run, in order
  int64_t bytes_ = 0;
  bool resident_ = false;

  // Of the run in progress.
  int64_t ring_bytes_ = 0;
  int64_t live_bytes_ = 0;  // read or on the way, not given back
  size_t next_ = 0;         // of reads_
  int in_flight_ = 0;
  PlacedCounts counts_;
};

}  // namespace stint

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
#include "weights/package/packed_weights.h"
#include "weights/stream/unit_stream.h"

namespace stint {

// Used by the thread that runs; a stream reads for it.
class PlacedWeights {
 public:
  // `packed` has parts in `file`, which was checked when it was opened. Whole
  // pages of them are read later and must be as they are now; what they share
  // with others is copied now. The pool's threads check what was read.
  static Result<std::unique_ptr<PlacedWeights>> Create(
      std::shared_ptr<const MappedFile> file,
      std::unique_ptr<BlockReader> reader, const PackedTable& packed,
      ThreadPool* pool);

  // The same weights at their places here.
  const PackedTable& packed() const { return packed_; }
  int64_t bytes() const { return bytes_; }  // of all weights that are read
  int64_t BytesOf(const std::string& node) const;

  // Reads everything, to stay.
  Status ReadAll(const std::vector<std::string>& nodes);
  // Runs go through a ring from now on: at most `ring_bytes`, which have room
  // for the weights of any node, are in memory at a time. `nodes` run in this
  // order; those that are not packed are left out.
  Status Stream(const std::vector<std::string>& nodes, int64_t ring_bytes);

  void BeginRun();
  // Waits for the node's weights; kCancelled when they do not come within
  // `timeout_ns`.
  Status Await(const std::string& node, int64_t timeout_ns);
  void Release(const std::string& node);
  // Finished or not: gives everything back, what is still read when it comes.
  void EndRun();

  const StreamCounts& counts() const { return stream_->counts(); }

 private:
  struct NodeWeights {
    std::vector<int> units;
    int64_t bytes = 0;
  };

  PlacedWeights() = default;
  // Adds what is to be read of `part`, which is at `begin` in the file.
  void AddUnits(const MappedFile& file, int64_t begin, int64_t bytes,
                NodeWeights* node);
  // Each part that is in the file to its place, with the ends that it shares a
  // page with others.
  void Place(std::span<const uint8_t> file, const PackedTable& packed);
  Status Change(const std::vector<std::string>& nodes, int64_t ring_bytes);

  StreamSetup setup_;
  std::unique_ptr<UnitStream> stream_;
  PackedTable packed_;
  std::map<std::string, NodeWeights, std::less<>> nodes_;
  std::map<int64_t, int> unit_at_;   // by offset
  std::vector<std::string> stages_;  // nodes in the order of runs
  size_t stage_ = 0;                 // of the run: the next to be released
  int64_t bytes_ = 0;
};

}  // namespace stint

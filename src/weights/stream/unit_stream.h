#pragma once
// Streams the read units of a file through a bounded ring of memory, ahead of
// the computation that needs them.
//
// A run goes through stages (layers) in order. The units of a stage are needed
// together, from Await to Release; those of later stages are read meanwhile, as
// far as the ring has room. Pinned units are read once and stay. Between runs
// there may be another plan; what it pins and is already there stays where it
// is.
//
// There is no thread for it: on few cores it would take time from those that
// compute, each of which holds up the others. The thread that computes starts
// and ends reads between its layers, and storage works while it computes.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/io/block_reader.h"
#include "core/platform/reserved_pages.h"
#include "core/platform/thread_pool.h"
#include "weights/stream/ring_space.h"

namespace stint {

struct StreamUnit {
  int64_t offset = 0;  // in the file; a multiple of 4096, as are the bytes
  int64_t bytes = 0;
  uint64_t checksum = 0;  // XXH3 of the bytes
  bool pinned = false;
};

struct StreamSetup {
  std::vector<StreamUnit> units;
  // For each stage the numbers of its units, in the order of reading. Units of
  // no stage are not read, pinned or not.
  std::vector<std::vector<int>> stages;
  int64_t ring_bytes = 0;
  // Neighbors in the file are read together up to so many bytes.
  int64_t request_bytes = 1 << 20;
};

struct StreamCounts {
  int64_t bytes_read = 0;  // since the stream was made
  int64_t requests = 0;
  int64_t waits = 0;          // calls of Await that had to wait
  int64_t wait_ns = 0;        // and for how long
  int64_t checked_bytes = 0;  // of streamed units
  int64_t check_ns = 0;       // that their checksums took
};

// Used by one thread at a time, which computes.
class UnitStream {
 public:
  // kInvalidArgument when the ring is smaller than RingBytesFor(setup). Reads
  // nothing yet. Checksums are computed by the pool's threads, which have
  // nothing else to do while a stage is awaited; null: by the caller.
  static Result<std::unique_ptr<UnitStream>> Create(
      std::unique_ptr<BlockReader> reader, StreamSetup setup,
      ThreadPool* pool = nullptr);
  // What the ring needs at least, so that each stage fits.
  static int64_t RingBytesFor(const StreamSetup& setup);
  ~UnitStream();

  // Another plan for the same units, between runs: other stages, pinned units
  // or ring. Units that are no longer pinned give their memory back.
  Status Change(StreamSetup setup);

  // Gives the ring's memory back until the next change. Between runs.
  void DropRing();

  // Reads what is pinned. Again after an error or a change: what is missing.
  Status ReadPinned();

  // Begins to read stage 0 and on.
  void BeginRun();
  // Takes what has come and starts what there is room for. Often enough is
  // between the nodes of a stage; costs little when there is nothing to do.
  void Poll();
  // Waits for the units of the stage, at most `timeout_ns`. Stages are awaited
  // and released in order. kIo or kDamaged when a unit cannot be had, and
  // kCancelled when the time is up: then EndRun and, perhaps, another run.
  Status Await(int stage, int64_t timeout_ns);
  // Of a unit of the awaited stage, or a pinned one.
  const uint8_t* Data(int unit) const { return places_[unit]; }
  void Release(int stage);
  // Ends a run, finished or not: waits for reads in flight, empties the ring.
  void EndRun();

  const StreamCounts& counts() const { return counts_; }

 private:
  // Units [begin, end) of order_, neighbors in file and ring; empty when not in
  // flight.
  struct Batch {
    size_t begin = 0;
    size_t end = 0;
    bool empty() const { return begin == end; }
  };

  UnitStream(std::unique_ptr<BlockReader> reader, ThreadPool* pool);
  Status Reserve(const StreamSetup& setup);
  void SetOrder();
  // The units [first, end) that ReadPinned can read as one.
  size_t PinnedRun(size_t first) const;
  Status FinishPinned();
  Batch NextBatch();
  BlockRead ReadOf(const Batch& batch) const;
  void StartReads();
  // Takes a read that is done; false when none is in time.
  bool TakeRead(int64_t timeout_ns);
  bool Arrived(size_t end) const;
  Status AwaitReads(int stage, int64_t timeout_ns);
  Status Check(int unit) const;
  // Of the units of order_ up to `end`.
  Status CheckStreamed(size_t end);
  void Fail(Status status);

  const std::unique_ptr<BlockReader> reader_;
  ThreadPool* const pool_;
  StreamSetup setup_;
  ReservedPages ring_;
  // Every unit has its place, side by side as in the file; only pinned ones
  // take memory.
  ReservedPages pinned_memory_;
  std::vector<int64_t> pinned_at_;  // by unit
  std::vector<uint8_t*> places_;    // of units that are in memory or on the way
  std::vector<bool> pinned_here_;   // read and checked

  bool running_ = false;
  Status status_;  // of the run
  Status broken_;  // storage never answered: its reads may still come
  RingSpace space_{0};
  std::vector<int> order_;         // streamed units, as the stages want them
  std::vector<size_t> stage_end_;  // per stage: units of order_ up to its end
  size_t next_ = 0;                // of order_: the first that is not yet read
  std::vector<bool> here_;         // of order_: read
  size_t checked_ = 0;             // of order_: up to here
  size_t released_ = 0;            // of order_
  std::vector<Batch> batches_;     // in flight, by tag
  int in_flight_ = 0;
  int64_t last_read_ns_ = 0;  // when storage last began or ended a read
  StreamCounts counts_;
};

}  // namespace stint

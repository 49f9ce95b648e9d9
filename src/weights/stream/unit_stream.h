#pragma once
// Streams the read units of a file through a bounded ring of memory, ahead of
// the computation that needs them.
//
// A run goes through stages (layers) in order. The units of a stage are needed
// together, from Await to Release; those of later stages are read meanwhile, as
// far as the ring has room. Pinned units are read once, before a run or by it,
// and stay. Between runs there may be another plan; what it pins and is already
// there stays where it is.
//
// Reads that are still under way when a run ends early are late. Their memory
// is theirs until they have come: nothing else is read, planned or freed
// before, however long that takes.
//
// There is no thread for it: on few cores it would take time from those that
// compute, each of which holds up the others. The thread that computes starts
// and ends reads between its layers, and storage works while it computes.

#include <cstdint>
#include <memory>
#include <vector>

#include "core/io/block_reader.h"
#include "core/platform/memory/reserved_pages.h"
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
  // Not 0: there is no ring. Every unit comes to a place of its own, in so many
  // bytes of addresses, as far from their begin as from the file's; a unit that
  // is released gives its memory back. At most `ring_bytes` are there at a
  // time. The same in every setup of a stream.
  int64_t placed_bytes = 0;
  // Storage that ends no read for so long is given up: kIo.
  int64_t read_timeout_ns = 30'000'000'000;
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
  // or ring. Units that are no longer pinned give their memory back. On an
  // error, kIo while reads are late, the plan stays as it was.
  Status Change(StreamSetup setup);

  // Gives the ring's memory back until the next change, which must come before
  // the next run. Between runs. False while reads are late: the ring stays.
  bool DropRing();

  // Reads what is pinned, so that no run needs to. Again after an error or a
  // change: what is missing.
  Status ReadPinned();

  // Begins to read stage 0 and on, with what is pinned and missing.
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
  // Ends a run, finished or not, and empties the ring. Waits for reads in
  // flight, but not for long: a caller who gave up wants to go on. The next run
  // waits for those that are late.
  void EndRun();

  // Where the byte at this offset of the file is while a pinned unit, or any
  // of a stream without a ring, has it in memory.
  uint8_t* Place(int64_t offset) const { return memory_.data() + offset; }

  const StreamCounts& counts() const { return counts_; }

 private:
  // What is read at once; empty when not in flight.
  struct Batch {
    // Neighbors in the file and in memory: of order_, or pinned units.
    size_t begin = 0;
    size_t end = 0;
    bool pinned = false;
    bool late = false;  // nobody waits for it any more
    bool empty() const { return begin == end; }
  };

  UnitStream(std::unique_ptr<BlockReader> reader, ThreadPool* pool);
  Status Reserve(const StreamSetup& setup);
  Status CheckSetup(const StreamSetup& setup) const;
  void SetOrder();
  void SetPlaces();
  // Waits until no read is in flight.
  Status Settle();
  // The pinned units [first, end) that are missing and can be read as one.
  size_t PinnedRun(size_t first) const;
  void SetMissing();
  // Whether what is pinned and missing is wanted before what is streamed next.
  bool PinnedIsNext();
  Status StartPinned(size_t begin, size_t end);
  Status KeepPinned(const Batch& batch, const Status& read);

  const StreamUnit& UnitAt(size_t i) const;  // of order_
  uint8_t* TakePlace(const StreamUnit& unit);
  void GiveBackLast(const StreamUnit& unit);
  Batch NextBatch();
  BlockRead ReadOf(const Batch& batch) const;
  void StartReads();
  Status StartRead(BlockRead read, const Batch& batch);
  // Takes a read that is done; false when none is in time.
  Result<bool> TakeRead(int64_t timeout_ns);
  // The memory of what was read goes back, where it has a place of its own.
  void Discard(const Batch& batch);
  // How much longer storage may do nothing; 0: it is given up.
  int64_t PatienceNs() const;
  // No read in flight belongs to the run, or to ReadPinned, after that.
  void EndReads();
  bool Arrived(int stage) const;
  Status AwaitReads(int stage, int64_t timeout_ns);
  Status Check(int unit) const;
  // Of the units of order_ up to `end`.
  Status CheckStreamed(size_t end);
  void Fail(Status status);

  ThreadPool* const pool_;
  StreamSetup setup_;
  bool placed_ = false;  // there is no ring
  ReservedPages ring_;
  // Every unit has its place, as in the file; only those there take memory.
  ReservedPages memory_;
  std::vector<uint8_t*> places_;   // of units that are in memory or on the way
  std::vector<bool> pinned_here_;  // read and checked
  std::vector<bool> asked_;        // pinned, and its read is under way

  bool running_ = false;
  Status status_;  // of the run
  RingSpace space_{0};
  int64_t placed_bytes_here_ = 0;  // instead of space_ where there is no ring
  std::vector<int> order_;         // streamed units, as the stages want them
  std::vector<size_t> stage_end_;  // per stage: units of order_ up to its end
  size_t next_ = 0;                // of order_: the first that is not yet read
  std::vector<bool> here_;         // of order_: its read has ended
  size_t checked_ = 0;             // of order_: up to here
  size_t released_ = 0;            // of order_
  // Pinned units that were not there when the run began.
  struct Missing {
    int stage;
    int unit;
  };
  std::vector<Missing> missing_;  // by stage
  size_t next_missing_ = 0;       // the first that is not yet read
  std::vector<Batch> batches_;    // in flight, by tag
  int in_flight_ = 0;
  int late_ = 0;              // of those
  int64_t last_read_ns_ = 0;  // when storage last began or ended a read
  StreamCounts counts_;
  // Goes first: it waits for its reads, which go to the memory above.
  const std::unique_ptr<BlockReader> reader_;
};

}  // namespace stint

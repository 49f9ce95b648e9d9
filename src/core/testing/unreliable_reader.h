#pragma once
// Storage that fails and stalls when a test says so, in front of a reader that
// does not.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/io/block_reader.h"
#include "core/platform/clock.h"

namespace stint {

// What happens to reads from now on; set between them.
struct StorageFaults {
  bool fails = false;        // every read ends with kIo
  double failing_share = 0;  // of reads, by chance
  int64_t stall_ns = 0;      // reads are done so much later
  Random random{7};
};

class UnreliableReader : public BlockReader {
 public:
  UnreliableReader(std::unique_ptr<BlockReader> reader,
                   std::shared_ptr<StorageFaults> faults)
      : reader_(std::move(reader)), faults_(std::move(faults)) {}

  std::string_view method() const override { return reader_->method(); }
  int depth() const override { return reader_->depth(); }
  void Register(std::span<uint8_t> memory) override {
    reader_->Register(memory);
  }
  Status Start(const BlockRead& read) override { return reader_->Start(read); }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    if (held_.empty()) {
      STINT_ASSIGN_OR_RETURN(auto done, reader_->Wait(timeout_ns));
      if (!done.has_value()) return done;
      const bool fails = faults_->fails ||
                         faults_->random.NextDouble() < faults_->failing_share;
      if (fails) done->status = IoError("storage fails for a test");
      held_.push_back({*done, NowNs() + faults_->stall_ns});
    }
    const int64_t until = std::min(held_[0].second, NowNs() + timeout_ns);
    SleepUntilNs(until);
    if (NowNs() < held_[0].second) return std::optional<BlockDone>();
    std::optional<BlockDone> done = held_[0].first;
    held_.clear();
    return done;
  }

 private:
  const std::unique_ptr<BlockReader> reader_;
  const std::shared_ptr<StorageFaults> faults_;
  std::vector<std::pair<BlockDone, int64_t>> held_;  // one at most
};

}  // namespace stint

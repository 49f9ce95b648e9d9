#include "core/io/storage_rate.h"

#include <algorithm>
#include <deque>
#include <string>
#include <unordered_map>

#include "core/base/quantity.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

class LimitedReader : public BlockReader {
 public:
  LimitedReader(std::unique_ptr<BlockReader> reader,
                std::shared_ptr<SlowDevice> device)
      : reader_(std::move(reader)), device_(std::move(device)) {}

  std::string_view method() const override { return reader_->method(); }
  int depth() const override { return reader_->depth(); }
  bool reads_without_cpu() const override {
    return reader_->reads_without_cpu();
  }
  void Register(std::span<uint8_t> memory) override {
    reader_->Register(memory);
  }

  Status Start(const BlockRead& read) override {
    STINT_RETURN_IF_ERROR(reader_->Start(read));
    due_[read.tag] = device_->Transfer(static_cast<int64_t>(read.to.size()));
    return OkStatus();
  }

  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    const int64_t now = NowNs();
    const int64_t end =
        timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
    // All that the inner reader has by now; the first that is due may be any.
    while (ready_.size() < due_.size()) {
      const int64_t until =
          ready_.empty() ? end : std::min(end, ready_[0].due_ns);
      STINT_ASSIGN_OR_RETURN(
          auto done, reader_->Wait(std::max<int64_t>(0, until - NowNs())));
      if (!done.has_value()) break;
      ready_.push_back({due_.at(done->tag), std::move(*done)});
      std::sort(ready_.begin(), ready_.end(), [](const auto& a, const auto& b) {
        return a.due_ns < b.due_ns;
      });
    }
    if (ready_.empty()) return std::optional<BlockDone>();
    if (timeout_ns > 0) SleepUntilNs(std::min(end, ready_[0].due_ns));
    if (ready_[0].due_ns > NowNs()) return std::optional<BlockDone>();
    std::optional<BlockDone> done = std::move(ready_[0].done);
    ready_.pop_front();
    due_.erase(done->tag);
    return done;
  }

 private:
  struct Ready {
    int64_t due_ns;
    BlockDone done;
  };
  std::unique_ptr<BlockReader> reader_;
  const std::shared_ptr<SlowDevice> device_;
  std::unordered_map<uint64_t, int64_t> due_;  // by tag, of all in flight
  std::deque<Ready> ready_;  // read, perhaps not yet due; the earliest first
};

}  // namespace

Result<StorageRate> ParseStorageRate(std::string_view text) {
  const size_t comma = text.find(',');
  const std::string_view speed = text.substr(0, comma);
  StorageRate rate;
  if (!speed.ends_with("/s")) {
    return InvalidArgument(
        "storage '" + std::string(text) +
        "': expected bandwidth and latency as in 80MB/s,1ms");
  }
  STINT_ASSIGN_OR_RETURN(const int64_t bytes,
                         ParseBytes(speed.substr(0, speed.size() - 2)));
  rate.bytes_per_second = static_cast<double>(bytes);
  if (comma != std::string_view::npos) {
    STINT_ASSIGN_OR_RETURN(rate.latency_ns,
                           ParseDurationNs(text.substr(comma + 1)));
  }
  return rate;
}

int64_t SlowDevice::Transfer(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_ns_ = std::max(free_ns_, NowNs() + rate_.latency_ns);
  if (rate_.bytes_per_second > 0) {
    free_ns_ += static_cast<int64_t>(static_cast<double>(bytes) * 1e9 /
                                     rate_.bytes_per_second);
  }
  return free_ns_;
}

std::shared_ptr<SlowDevice> MakeSlowDevice(const StorageRate& rate) {
  return rate.limited() ? std::make_shared<SlowDevice>(rate) : nullptr;
}

std::unique_ptr<BlockReader> LimitRate(std::unique_ptr<BlockReader> reader,
                                       std::shared_ptr<SlowDevice> device) {
  if (device == nullptr) return reader;
  return std::make_unique<LimitedReader>(std::move(reader), std::move(device));
}

}  // namespace stint

#pragma once
// Slow storage on a fast machine: a reader whose reads take as long as on a
// device of a given bandwidth and latency.

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include "core/io/block_reader.h"

namespace stint {

struct StorageRate {
  double bytes_per_second = 0;  // 0: as fast as it is
  int64_t latency_ns = 0;       // of one read
  bool limited() const { return bytes_per_second > 0 || latency_ns > 0; }
};

// "80MB/s", "1.5GB/s,100us", "20MB/s,1ms"; MB is 10^6 bytes.
Result<StorageRate> ParseStorageRate(std::string_view text);

// A device that several readers share. It transfers one read after the other;
// the latency of a read passes while those before it are transferred:
//   end = max(end of the one before, begin + latency) + bytes / rate.
class SlowDevice {
 public:
  explicit SlowDevice(const StorageRate& rate) : rate_(rate) {}
  // When a read that begins now ends, on the clock of NowNs().
  int64_t Transfer(int64_t bytes);

 private:
  const StorageRate rate_;
  std::mutex mutex_;
  int64_t free_ns_ = 0;
};

// Null when nothing is limited.
std::shared_ptr<SlowDevice> MakeSlowDevice(const StorageRate& rate);

// Reads take as long as on the device; null: as long as they take. A read that
// the inner reader takes longer for is late.
std::unique_ptr<BlockReader> LimitRate(std::unique_ptr<BlockReader> reader,
                                       std::shared_ptr<SlowDevice> device);

}  // namespace stint

#pragma once
// Slow storage on a fast machine: a reader whose reads take as long as on a
// device of a given bandwidth and latency.

#include <cstdint>
#include <memory>
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

// The device transfers one read after the other; the latency of a read passes
// while those before it are transferred:
//   end = max(end of the one before, begin + latency) + bytes / rate.
// A read that the inner reader takes longer for is late.
std::unique_ptr<BlockReader> LimitRate(std::unique_ptr<BlockReader> reader,
                                       const StorageRate& rate);

}  // namespace stint

#pragma once
// How long reads take, by size: as measured, or on storage that is imitated.

#include <cstdint>
#include <vector>

#include "core/io/storage_rate.h"
#include "engine/device/device_profile.h"

namespace stint {

// A read of so many bytes takes `ns`; between neighbors on a straight line.
struct ReadTime {
  int64_t bytes = 0;
  double ns = 0;
};

// Of rising bytes, never empty.
struct ReadTimes {
  std::vector<ReadTime> alone;   // from its start to its end, one at a time
  std::vector<ReadTime> queued;  // from one end to the next, `io_depth` at once
};

// Until storage is measured: a SATA drive, 450 MB/s and 100 us; whoever has
// faster storage finds plans cautious.
inline constexpr StorageRate kAssumedStorage{450e6, 100000};
inline constexpr int kAssumedDepth = 8;

// With `rate` limited, reads take as long as core/io/storage_rate.h makes them,
// or as long as they take here, whichever is more: the latency of a read passes
// while those before it are transferred, so that with d of them at once
//   ns per read = max(bytes / rate, (latency + bytes / rate) / d).
ReadTimes ReadTimesOf(const DeviceProfile& profile,
                      const StorageRate& rate = {});

}  // namespace stint

#include "engine/device/read_times.h"

#include <algorithm>

namespace stint {
namespace {

constexpr int64_t kLeastBytes = 4 << 10;
constexpr int64_t kMostBytes = 8 << 20;

double RateNs(const StorageRate& rate, int64_t bytes, int depth) {
  const double transfer =
      rate.bytes_per_second > 0
          ? static_cast<double>(bytes) * 1e9 / rate.bytes_per_second
          : 0;
  return std::max(transfer,
                  (static_cast<double>(rate.latency_ns) + transfer) / depth);
}

}  // namespace

ReadTimes ReadTimesOf(const DeviceProfile& profile, const StorageRate& rate) {
  ReadTimes times;
  for (const IoPoint& point : profile.io) {
    const int64_t bytes = point.request_bytes;
    times.alone.push_back(
        {bytes, std::max(point.latency_us * 1e3, RateNs(rate, bytes, 1))});
    times.queued.push_back(
        {bytes, std::max(point.queued_us * 1e3,
                         RateNs(rate, bytes, profile.io_depth))});
  }
  if (!profile.io.empty()) return times;
  const StorageRate& assumed = rate.limited() ? rate : kAssumedStorage;
  for (int64_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 2) {
    times.alone.push_back({bytes, RateNs(assumed, bytes, 1)});
    times.queued.push_back({bytes, RateNs(assumed, bytes, kAssumedDepth)});
  }
  return times;
}

}  // namespace stint

#pragma once
// The rate of something that others on the machine can only slow down.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/meter/statistics.h"
#include "core/platform/clock.h"

namespace stint {

// Units per second of body(), which does `units` at once: of the quickest
// calls within `ms` milliseconds, at least five. Not the very quickest, which
// may owe its time to the clock.
template <class Body>
double BestRate(double units, double ms, Body body) {
  body();
  std::vector<double> seconds;
  const int64_t start = NowNs();
  while (seconds.size() < 5 || MsSince(start) < ms) {
    const int64_t begin = NowNs();
    body();
    seconds.push_back(static_cast<double>(NowNs() - begin) * 1e-9);
  }
  return units / std::max(Quantile(seconds, 0.05), 1e-9);
}

}  // namespace stint

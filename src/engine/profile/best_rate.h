#pragma once
// The rate of something that others on the machine can only slow down.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "engine/device/device_profile.h"

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

// rate(pool) with one thread and with all. Threads that wait for each other
// suffer most from others on the machine, so a sum below one thread's share is
// measured again a few times; together they are never slower than one.
template <class Rate>
CoreAndAll RateOfCoreAndAll(ThreadPool* pool, Rate rate) {
  ThreadPool one(1);
  CoreAndAll figure;
  figure.core = figure.all = rate(&one);
  for (int tries = 0; pool->threads() > 1 && tries < 3; ++tries) {
    figure.all = std::max(figure.all, rate(pool));
    if (figure.all > figure.core) break;
  }
  return figure;
}

}  // namespace stint

#include "engine/elastic/run_history.h"

#include <algorithm>

#include "core/meter/statistics.h"

namespace stint {
namespace {

// Enough runs that a burst of noise is not taken for a slower machine, few
// enough that one is noticed within a second or so.
constexpr size_t kWindow = 32;
// Ratios within this need no other plan.
constexpr double kTolerated = 1.2;
// A machine whose speed comes and goes is not planned for again and again: each
// time it takes twice as many runs.
constexpr size_t kMostNeeded = 4096;
// Until there are runs to take it from. Texts differ in how many rows of the
// embedding must be read: the 95th percentile of SST-2 within 10 ms is 1.2 to
// 1.35 of the median.
constexpr double kFirstSpread = 1.25;
// The spread is taken from so many runs of plans before, too: a percentile of
// one window rests on one or two runs.
constexpr size_t kSpreadRuns = 8 * kWindow;
constexpr double kMostSpread = 2.0;
// A percentile of so few runs is itself uncertain by this much.
constexpr double kHeadroom = 1.02;

bool Differs(double ratio) {
  return ratio > kTolerated || ratio < 1 / kTolerated;
}

}  // namespace

RunHistory::RunHistory() {
  compute_.reserve(kWindow);
  latency_.reserve(kWindow);
}

void RunHistory::Add(const Run& run) {
  if (compute_.size() < kWindow) {
    compute_.push_back(0);
    latency_.push_back(0);
  }
  compute_[next_] = run.compute_ns / std::max(1.0, run.predicted_compute_ns);
  latency_[next_] = run.latency_ns / std::max(1.0, run.predicted_latency_ns);
  next_ = (next_ + 1) % kWindow;
  ++runs_;
}

void RunHistory::Restart() {
  if (latency_.size() == kWindow) {
    spread_.insert(spread_.end(), latency_.begin(), latency_.end());
    if (spread_.size() > kSpreadRuns) {
      spread_.erase(spread_.begin(), spread_.end() - kSpreadRuns);
    }
  }
  compute_.clear();
  latency_.clear();
  next_ = 0;
  runs_ = 0;
}

double RunHistory::Slowdown(double percentile) const {
  std::vector<double> runs = spread_;
  if (latency_.size() == kWindow) {
    runs.insert(runs.end(), latency_.begin(), latency_.end());
  }
  if (runs.empty() || percentile <= 50) {
    return percentile <= 50 ? 1 : kFirstSpread;
  }
  // A plan made for just the asked share of runs would keep it every other
  // time: it is made for half as many misses.
  const double share = (100 + percentile) / 200;
  return std::clamp(Quantile(runs, share) * kHeadroom, 1.0, kMostSpread);
}

bool RunHistory::Drifted(double percentile, double slowdown) {
  if (runs_ < std::max(kWindow, needed_)) return false;
  const double compute = Quantile(compute_, 0.5);
  const double latency = Quantile(latency_, 0.5);
  const bool differs = Differs(compute) || Differs(latency);
  if (!differs && Quantile(latency_, percentile / 100) <= slowdown) {
    return false;
  }
  needed_ = std::min(kMostNeeded, 2 * std::max(kWindow, needed_));
  if (!differs) return true;
  // The scales take the median; what is left is the spread around it.
  for (double& ratio : latency_) ratio /= latency;
  if (Differs(compute)) {
    compute_scale_ *= compute;
  } else {
    // Not the computation, so the reading.
    read_scale_ *= latency;
  }
  return true;
}

}  // namespace stint

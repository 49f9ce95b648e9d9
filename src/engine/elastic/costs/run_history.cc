#include "engine/elastic/costs/run_history.h"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

// All constants: chosen on a virtual machine whose neighbors come and go.

// Runs that are older say little of the machine as it is. A change that stays
// is to be met within 5 s, in both directions.
constexpr int64_t kMemoryNs = 2'500'000'000;
// Slow models have few runs in that time; that many count however old.
constexpr size_t kFewRuns = 16;
constexpr size_t kMostRuns = 512;
// A plan that is too slow is left after so many of its runs.
constexpr size_t kLeastRuns = 3;
// With fewer runs this many may be outliers.
constexpr double kOutliers = 1.5;
// Reading is corrected by this many runs, if it is off by this much.
constexpr size_t kReadRuns = 8;
constexpr double kReadTolerated = 1.25;
// Room is given back if it is this much, and not before it was free for so
// long; longer each time that it was missed soon afterwards.
constexpr double kSpareRoom = 1.15;
constexpr int64_t kLeastPauseNs = 1'000'000'000;
constexpr int64_t kMostPauseNs = 2'500'000'000;
constexpr int64_t kSoonNs = 5'000'000'000;
// Misses are looked for after each run, room not so often.
constexpr int64_t kAskNs = 100'000'000;
// Beyond these a ratio is a clock that jumped, or a machine that slept.
constexpr double kLeastScale = 0.05;
constexpr double kMostScale = 50;

}  // namespace

RunHistory::RunHistory(double first_slowdown)
    : first_slowdown_(first_slowdown), pause_ns_(kLeastPauseNs) {
  samples_.reserve(kMostRuns);
  sorted_.reserve(kMostRuns);
}

void RunHistory::Add(const Run& run, int64_t now_ns) {
  if (began_ns_ == 0) began_ns_ = now_ns;
  ++plan_runs_;
  // It met cold caches and memory that nobody had touched.
  if (runs_++ == 0) return;
  const auto ratio = [](double measured, double predicted) {
    return std::clamp(measured / std::max(1.0, predicted), kLeastScale,
                      kMostScale);
  };
  const Sample sample{
      now_ns, ratio(run.compute_ns, run.predicted_compute_ns),
      ratio(run.latency_ns, run.predicted_latency_ns),
      ratio(run.latency_ns, run.predicted_latency_ns + run.compute_ns -
                                run.predicted_compute_ns)};
  if (samples_.size() < kMostRuns) {
    samples_.push_back(sample);
  } else {
    samples_[next_] = sample;
  }
  next_ = (next_ + 1) % kMostRuns;
}

void RunHistory::Restart(int64_t now_ns) {
  plan_runs_ = 0;
  began_ns_ = now_ns;
}

size_t RunHistory::Recent() const {
  const size_t size = samples_.size();
  if (size == 0) return 0;
  const auto back = [&](size_t age) -> const Sample& {
    return samples_[(next_ + kMostRuns - 1 - age) % kMostRuns];
  };
  const int64_t since_ns = back(0).end_ns - kMemoryNs;
  size_t recent = std::min(size, kFewRuns);
  while (recent < size && back(recent).end_ns >= since_ns) ++recent;
  return recent;
}

double RunHistory::Share(double Sample::*ratio, size_t count,
                         double share) const {
  sorted_.clear();
  for (size_t i = 0; i < count; ++i) {
    sorted_.push_back(samples_[(next_ + kMostRuns - 1 - i) % kMostRuns].*ratio);
  }
  const auto at =
      sorted_.begin() + static_cast<std::ptrdiff_t>(
                            std::ceil(share * static_cast<double>(count - 1)));
  std::nth_element(sorted_.begin(), at, sorted_.end());
  return *at;
}

double RunHistory::LatencyAt(double share) const {
  const size_t recent = Recent();
  const double most =
      std::max(0.5, 1 - kOutliers / static_cast<double>(recent));
  return Share(&Sample::latency, recent, std::clamp(share, 0.0, most));
}

double RunHistory::Slowdown(double percentile) const {
  const double first =
      1 + (first_slowdown_ - 1) * std::max(0.0, percentile - 50) / 45;
  const size_t recent = Recent();
  if (recent == 0) return first;
  // A plan made for just the asked share of runs would keep it every other
  // time: it is made for half as many misses.
  const double seen =
      LatencyAt(percentile > 50 ? (100 + percentile) / 200 : percentile / 100);
  // Slow runs are believed sooner than quick ones.
  const size_t enough = seen > first ? 2 * kLeastRuns : kEnough;
  const double share =
      std::min(1.0, static_cast<double>(recent) / static_cast<double>(enough));
  return first + (seen - first) * share;
}

double RunHistory::busy() const {
  const size_t recent = Recent();
  return recent < kReadRuns ? 1 : Share(&Sample::compute, recent, 0.5);
}

bool RunHistory::Drifted(double percentile, const InUse& plan, int64_t now_ns) {
  if (plan_runs_ < kLeastRuns || samples_.empty()) return false;
  const double limit = plan.slowdown * plan.room;
  const Sample& last = samples_[(next_ + kMostRuns - 1) % kMostRuns];
  if (last.latency <= limit && now_ns - asked_ns_ < kAskNs) return false;
  asked_ns_ = now_ns;
  const size_t of_plan = std::min(plan_runs_, Recent());
  const double off =
      of_plan < kReadRuns ? 1 : Share(&Sample::reading, of_plan, 0.5);
  if (off > kReadTolerated || off < 1 / kReadTolerated) {
    read_scale_ = std::clamp(read_scale_ * off, kLeastScale, kMostScale);
    for (Sample& sample : samples_) sample.latency /= off;
    for (Sample& sample : samples_) sample.reading = 1;
    return true;
  }
  if (LatencyAt(percentile / 100) > limit && Slowdown(percentile) > limit) {
    if (raised_ns_ > 0 && now_ns - raised_ns_ < kSoonNs) {
      pause_ns_ = std::min(2 * pause_ns_, kMostPauseNs);
    } else {
      pause_ns_ = kLeastPauseNs;
    }
    return true;
  }
  if (now_ns - began_ns_ >= pause_ns_ &&
      Slowdown(percentile) * kSpareRoom < plan.slowdown) {
    raised_ns_ = now_ns;
    return true;
  }
  return false;
}

}  // namespace stint

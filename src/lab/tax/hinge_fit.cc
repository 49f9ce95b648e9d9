#include "lab/tax/hinge_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/function_ref.h"

namespace stint {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kGaussNewtonSteps = 30;
// Of log T, to see how a figure moves with it.
constexpr double kStep = 1e-3;
// Fits of published curves are off by 1 to 8 %.
constexpr double kDoubtfulRms = 0.08;

// A floor is flat: three sizes or more lie on it, along which latency grows by
// less than this with each doubling; where latency follows the size there is
// none. It halves the error of the line alone: one more parameter always fits a
// little better, and the line beside a floor that is none is drawn through the
// largest sizes alone. (Floors of published curves leave 0.04 to 0.31 of the
// line's error and grow by up to 2.3 % with each doubling.)
constexpr size_t kLeastOnFloor = 3;
constexpr double kFlat = 0.05;
constexpr double kFloorGain = 0.5;
// The last size on a floor may already be where the line begins.
constexpr size_t kLeastBeforeLine = 2;

struct Line {
  double c = 0, s = 0;
};

// Least squares of T weighted by 1 / T^2: nearly that of log T.
Line WeightedLine(std::span<const double> x, std::span<const double> t) {
  double w = 0, wx = 0, wt = 0, wxx = 0, wxt = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (t[i] * t[i]);
    w += weight;
    wx += weight * x[i];
    wt += weight * t[i];
    wxx += weight * x[i] * x[i];
    wxt += weight * x[i] * t[i];
  }
  const double determinant = w * wxx - wx * wx;
  if (determinant <= 0) return {t[0], 0};
  const double s = (w * wxt - wx * wt) / determinant;
  return {(wt - s * wx) / w, s};
}

double LogError(const Line& line, std::span<const double> x,
                std::span<const double> t) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double fitted = line.c + line.s * x[i];
    if (fitted <= 0) return std::numeric_limits<double>::infinity();
    const double error = std::log(fitted / t[i]);
    sum += error * error;
  }
  return sum;
}

// One Gauss-Newton step on log(c + s x), halved until it helps.
bool Improve(std::span<const double> x, std::span<const double> t, Line* line) {
  double cc = 0, cs = 0, ss = 0, rc = 0, rs = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double fitted = line->c + line->s * x[i];
    const double residual = std::log(t[i] / fitted);
    cc += 1 / (fitted * fitted);
    cs += x[i] / (fitted * fitted);
    ss += x[i] * x[i] / (fitted * fitted);
    rc += residual / fitted;
    rs += residual * x[i] / fitted;
  }
  const double determinant = cc * ss - cs * cs;
  if (determinant <= 0) return false;
  const Line step{(ss * rc - cs * rs) / determinant,
                  (cc * rs - cs * rc) / determinant};
  const double before = LogError(*line, x, t);
  for (double share = 1; share > 1e-4; share /= 2) {
    const Line next{line->c + share * step.c, line->s + share * step.s};
    if (LogError(next, x, t) < before) {
      *line = next;
      return true;
    }
  }
  return false;
}

Line FitLogLine(std::span<const double> x, std::span<const double> t) {
  Line line = WeightedLine(x, t);
  if (!std::isfinite(LogError(line, x, t))) line = {t[0], 0};
  for (int i = 0; i < kGaussNewtonSteps && Improve(x, t, &line); ++i) {
  }
  return line;
}

double GeometricMean(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

// The fit when the first `count` points lie on the floor.
HingeFit FitWithFloor(size_t count, std::span<const double> x,
                      std::span<const double> t) {
  HingeFit fit;
  const Line line = FitLogLine(x.subspan(count), t.subspan(count));
  fit.fixed_ms = line.c;
  fit.per_item_ms = line.s;
  fit.points_on_floor = static_cast<int>(count);
  if (count > 0) fit.floor_ms = GeometricMean(t.first(count));
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = std::log(fit.At(x[i]) / t[i]);
    sum += error * error;
  }
  fit.log_rms = std::sqrt(sum / static_cast<double>(x.size()));
  return fit;
}

// Whether the first sizes lie on the floor of the fit, and on one level. The
// very first may take longer, as a first run does.
bool IsFlat(const HingeFit& fit, std::span<const double> x,
            std::span<const double> t) {
  const double level = *fit.floor_ms * (1 + kFlat);
  std::vector<double> doublings, logs;
  for (size_t i = t[0] > level ? 1 : 0; i < t.size() && t[i] <= level; ++i) {
    doublings.push_back(std::log2(x[i]));
    logs.push_back(std::log(t[i]));
  }
  return logs.size() >= kLeastOnFloor &&
         FitLine(doublings, logs).slope < std::log(1 + kFlat);
}

std::vector<std::string> Warnings(const HingeFit& fit,
                                  std::span<const double> x,
                                  std::span<const double> t) {
  std::vector<std::string> warnings;
  if (!fit.floor_ms) {
    warnings.emplace_back("no floor seen: it is below the smallest size");
  }
  const auto on_line = static_cast<int>(x.size()) - fit.points_on_floor;
  if (fit.floor_ms && (fit.points_on_floor < 2 || on_line < 2)) {
    warnings.emplace_back("fewer than two points on a side");
  }
  if (fit.fixed_ms < 0) {
    warnings.emplace_back("convex: grows faster than the size");
  }
  if (fit.log_rms > kDoubtfulRms) warnings.emplace_back("fit off by over 8 %");
  if (t.size() > 1 && t[0] > 1.02 * t[1]) {
    warnings.emplace_back("the smallest size takes longer than the next");
  }
  return warnings;
}

// The medians of the sizes, and refits with one of them moved.
class Refits {
 public:
  Refits(const HingeFit& fit, std::span<const double> x,
         std::span<const Estimate> medians)
      : medians_(medians) {
    const auto count = static_cast<size_t>(fit.points_on_floor);
    std::vector<double> t;
    for (const Estimate& median : medians) t.push_back(median.value);
    for (double& value : t) {
      const double kept = value;
      value = kept * std::exp(kStep);
      up_.push_back(FitWithFloor(count, x, t));
      value = kept * std::exp(-kStep);
      down_.push_back(FitWithFloor(count, x, t));
      value = kept;
    }
  }

  // How far the medians can move a figure of the fit: each on its own, or all
  // together as when a round is slow, whichever is farther. To either side by
  // the farther end of each: the median of a few skewed values is off center.
  Estimate Interval(double value,
                    FunctionRef<double(const HingeFit&)> figure) const {
    double squares = 0, together = 0;
    for (size_t i = 0; i < medians_.size(); ++i) {
      const Estimate& median = medians_[i];
      if (!median.known()) return {value, -kInfinity, kInfinity};
      const double slope = (figure(up_[i]) - figure(down_[i])) / (2 * kStep);
      const double far = std::max(std::log(median.value / median.low),
                                  std::log(median.high / median.value));
      squares += slope * slope * far * far;
      together += slope * far;
    }
    const double reach = std::max(std::sqrt(squares), std::abs(together));
    return {value, value - reach, value + reach};
  }

 private:
  std::span<const Estimate> medians_;
  std::vector<HingeFit> up_, down_;
};

}  // namespace

double HingeFit::At(double batch) const {
  const double line = fixed_ms + per_item_ms * batch;
  if (floor_ms) return std::max(*floor_ms, line);
  return std::max(line, 1e-9);
}

std::optional<double> HingeFit::Crossover() const {
  if (!floor_ms || per_item_ms <= 0) return std::nullopt;
  return (*floor_ms - fixed_ms) / per_item_ms;
}

HingeFit FitHinge(std::span<const double> batches,
                  std::span<const double> times_ms) {
  STINT_CHECK(batches.size() == times_ms.size() && batches.size() >= 2);
  const HingeFit line = FitWithFloor(0, batches, times_ms);
  HingeFit best = line;
  for (size_t count = kLeastBeforeLine; count + 2 <= batches.size(); ++count) {
    const HingeFit fit = FitWithFloor(count, batches, times_ms);
    // A floor that the line passes before the first point is none.
    const auto crossover = fit.Crossover();
    if (!crossover || *crossover <= batches[0]) continue;
    if (!IsFlat(fit, batches, times_ms)) continue;
    if (fit.log_rms < kFloorGain * line.log_rms && fit.log_rms < best.log_rms) {
      best = fit;
    }
  }
  return best;
}

HingeEstimate EstimateHinge(std::span<const double> batches,
                            std::span<const std::vector<double>> times_ms) {
  std::vector<Estimate> medians;
  std::vector<double> values;
  for (const auto& times : times_ms) {
    medians.push_back(MedianEstimate(times));
    values.push_back(medians.back().value);
  }
  HingeEstimate estimate;
  const HingeFit& fit = estimate.fit = FitHinge(batches, values);
  estimate.warnings = Warnings(fit, batches, values);
  const Refits refits(fit, batches, medians);
  estimate.fixed_ms = refits.Interval(
      fit.fixed_ms, [](const HingeFit& f) { return f.fixed_ms; });
  estimate.per_item_ms = refits.Interval(
      fit.per_item_ms, [](const HingeFit& f) { return f.per_item_ms; });
  if (!fit.floor_ms) return estimate;
  estimate.floor_ms = refits.Interval(
      *fit.floor_ms, [](const HingeFit& f) { return *f.floor_ms; });
  const auto crossover = fit.Crossover();
  if (!crossover) return estimate;
  const Estimate of_log = refits.Interval(
      std::log(*crossover),
      [](const HingeFit& f) { return std::log(f.Crossover().value_or(NAN)); });
  estimate.crossover = {*crossover, std::exp(of_log.low),
                        std::exp(of_log.high)};
  return estimate;
}

}  // namespace stint

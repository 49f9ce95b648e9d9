#include "lab/tax/hinge_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/base/random.h"

namespace stint {
namespace {

constexpr int kGaussNewtonSteps = 30;
constexpr int kResamples = 400;
// Fits of published curves are off by 1 to 8 %.
constexpr double kDoubtfulRms = 0.08;

// A floor must be seen at two sizes and explain the curve clearly better than a
// line does: one more parameter always fits a little better, and the line
// beside a floor that is none is drawn through the largest sizes alone. (Floors
// of published curves leave 0.12 to 0.71 of the line's error.)
constexpr size_t kLeastOnFloor = 2;
constexpr double kFloorGain = 0.8;

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

Estimate WithInterval(double value, const std::vector<double>& resampled) {
  return {value, Quantile(resampled, 0.025), Quantile(resampled, 0.975)};
}

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
  for (size_t count = kLeastOnFloor; count + 2 <= batches.size(); ++count) {
    const HingeFit fit = FitWithFloor(count, batches, times_ms);
    // A floor that the line passes before the first point is none.
    const auto crossover = fit.Crossover();
    if (!crossover || *crossover <= batches[0]) continue;
    if (fit.log_rms < kFloorGain * line.log_rms && fit.log_rms < best.log_rms) {
      best = fit;
    }
  }
  return best;
}

HingeEstimate EstimateHinge(std::span<const double> batches,
                            std::span<const std::vector<double>> times_ms,
                            uint64_t seed) {
  std::vector<double> medians;
  for (const auto& times : times_ms) medians.push_back(Median(times));
  HingeEstimate estimate;
  estimate.fit = FitHinge(batches, medians);
  estimate.warnings = Warnings(estimate.fit, batches, medians);
  Random random(seed);
  std::vector<double> floors, fixed, per_item, crossovers;
  for (int i = 0; i < kResamples; ++i) {
    for (size_t b = 0; b < times_ms.size(); ++b) {
      const std::vector<double>& times = times_ms[b];
      std::vector<double> drawn(times.size());
      for (double& value : drawn) {
        value = times[static_cast<size_t>(
            random.NextInt(static_cast<int64_t>(times.size())))];
      }
      medians[b] = Median(drawn);
    }
    const HingeFit fit = FitHinge(batches, medians);
    fixed.push_back(fit.fixed_ms);
    per_item.push_back(fit.per_item_ms);
    if (fit.floor_ms) floors.push_back(*fit.floor_ms);
    if (const auto crossover = fit.Crossover())
      crossovers.push_back(*crossover);
  }
  const HingeFit& fit = estimate.fit;
  estimate.fixed_ms = WithInterval(fit.fixed_ms, fixed);
  estimate.per_item_ms = WithInterval(fit.per_item_ms, per_item);
  if (fit.floor_ms) estimate.floor_ms = WithInterval(*fit.floor_ms, floors);
  if (const auto crossover = fit.Crossover()) {
    estimate.crossover = WithInterval(*crossover, crossovers);
  }
  return estimate;
}

}  // namespace stint

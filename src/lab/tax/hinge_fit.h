#pragma once
// Latency against batch (or sequence) as a floor and a line:
// T(B) = max(F, c + s * B). Framework-bound on the floor, compute-bound on the
// line. Pure functions.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/meter/statistics.h"

namespace stint {

struct HingeFit {
  // F; nothing when the line explains the smallest batches, too: the floor is
  // then below the least time that was measured.
  std::optional<double> floor_ms;
  double fixed_ms = 0;     // c: what does not grow with the batch
  double per_item_ms = 0;  // s
  double log_rms = 0;      // root mean square error of log T
  int points_on_floor = 0;

  double At(double batch) const;
  // (F - c) / s, where floor and line meet; nothing without a floor.
  std::optional<double> Crossover() const;
};

// Least squares in log T over all places where the floor may end; a floor is
// flat over three sizes or more (less than 5 % with each doubling) and halves
// the error of the line alone. At least two points; batches grow, times are
// positive.
HingeFit FitHinge(std::span<const double> batches,
                  std::span<const double> times_ms);

// The fit of medians over processes. An interval combines those of the medians
// by how each moves the figure (after MOVER, Zou and Donner 2008) and rather
// too wide than too narrow; it is not known below kLeastForInterval processes.
struct HingeEstimate {
  HingeFit fit;
  std::optional<Estimate> floor_ms;
  Estimate fixed_ms;
  Estimate per_item_ms;
  std::optional<Estimate> crossover;
  std::vector<std::string> warnings;  // what makes the fit doubtful
};

// times_ms[i] are the times of the processes at batches[i]; every list has at
// least one entry.
HingeEstimate EstimateHinge(std::span<const double> batches,
                            std::span<const std::vector<double>> times_ms);

}  // namespace stint

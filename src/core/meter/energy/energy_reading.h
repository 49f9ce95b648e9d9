#pragma once
// Amounts of energy with what is known of their error, and what is left of one
// when the machine's idle power is taken off.

#include <cstdint>
#include <span>

namespace stint {

// Energy over some time. Errors here and below are one standard deviation.
struct EnergyReading {
  double seconds = 0;
  double joules = 0;
  double joules_error = 0;
  int64_t samples = 0;  // of a sensor; 0 for a counter

  double watts() const { return seconds > 0 ? joules / seconds : 0; }
};

struct IdlePower {
  double watts = 0;
  double watts_error = 0;
};

// Mean power of idle blocks, weighted by their time. The error is the larger of
// what the blocks' own errors add up to and how far the blocks are apart: idle
// power that drifts is not known better than its drift.
IdlePower IdleFrom(std::span<const EnergyReading> blocks);

// What the work itself took. Never clipped: `below_resolution` says that
// `joules` is not above 0 by two standard deviations.
struct NetEnergy {
  double joules = 0;
  double joules_error = 0;
  bool below_resolution = false;
};
NetEnergy SubtractIdle(const EnergyReading& gross, const IdlePower& idle);
// Of several processes with their errors: whether half of them or more are.
// Both spans have the same length, at least one.
bool MostlyBelowResolution(std::span<const double> joules,
                           std::span<const double> errors);

}  // namespace stint

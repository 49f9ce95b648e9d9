#include "core/meter/energy/energy_reading.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace stint {

IdlePower IdleFrom(std::span<const EnergyReading> blocks) {
  double joules = 0, seconds = 0, variance = 0;
  for (const EnergyReading& block : blocks) {
    joules += block.joules;
    seconds += block.seconds;
    variance += block.joules_error * block.joules_error;
  }
  if (seconds <= 0) return {};
  IdlePower idle{joules / seconds, std::sqrt(variance) / seconds};
  if (blocks.size() < 2) return idle;
  double spread = 0;
  for (const EnergyReading& block : blocks) {
    const double distance = block.watts() - idle.watts;
    spread += distance * distance;
  }
  const auto count = static_cast<double>(blocks.size());
  idle.watts_error =
      std::max(idle.watts_error, std::sqrt(spread / (count - 1) / count));
  return idle;
}

namespace {

bool BelowResolution(double joules, double error) {
  return joules <= 2 * error;
}

}  // namespace

NetEnergy SubtractIdle(const EnergyReading& gross, const IdlePower& idle) {
  NetEnergy net;
  net.joules = gross.joules - idle.watts * gross.seconds;
  net.joules_error =
      std::hypot(gross.joules_error, gross.seconds * idle.watts_error);
  net.below_resolution = BelowResolution(net.joules, net.joules_error);
  return net;
}

bool MostlyBelowResolution(std::span<const double> joules,
                           std::span<const double> errors) {
  STINT_CHECK(joules.size() == errors.size() && !joules.empty());
  size_t below = 0;
  for (size_t i = 0; i < joules.size(); ++i) {
    below += BelowResolution(joules[i], errors[i]) ? 1 : 0;
  }
  return 2 * below >= joules.size();
}

}  // namespace stint

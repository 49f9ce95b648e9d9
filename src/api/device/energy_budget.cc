// LimitByEnergy: a budget of energy as one of time.

#include "core/meter/energy/energy_recorder.h"
#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/profile/measure_device.h"
#include "stint/budget.h"

namespace stint {
namespace {

// What a live meter shows while matrix products keep all CPUs busy: the most
// that a run draws.
Result<double> MeasureWatts() {
  const Isa isa = DetectIsa();
  ThreadPool pool(AvailableCpus());
  DeviceProfile profile;
  return WattsWhile({}, [&] { MeasureArithmetic(isa, &pool, &profile); });
}

}  // namespace

Status LimitByEnergy(Budget* budget) {
  if (budget->joules < 0 || budget->watts < 0) {
    return InvalidArgument("energy of a budget is below 0");
  }
  if (budget->joules == 0) return OkStatus();
  if (budget->watts == 0) {
    const auto measured = MeasureWatts();
    if (!measured.ok()) {
      return InvalidArgument("energy budget: " + measured.status().message() +
                             "; give watts (--watts), then energy is modeled "
                             "as power times time");
    }
    budget->watts = *measured;
  }
  const auto limit = std::chrono::nanoseconds(
      static_cast<int64_t>(budget->joules / budget->watts * 1e9));
  if (budget->latency.count() == 0 || limit < budget->latency) {
    budget->latency = limit;
  }
  return OkStatus();
}

}  // namespace stint

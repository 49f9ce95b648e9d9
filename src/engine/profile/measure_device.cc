#include "engine/profile/measure_device.h"

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/limits/limits.h"

namespace stint {
namespace {

// For as long as a counter of energy needs to be believed.
constexpr double kProbeMs = 300;

void StayIdle() {
  SleepUntilNs(NowNs() + static_cast<int64_t>(kProbeMs * 1e6));
}

// All threads busy.
void KeepBusy(Isa isa, ThreadPool* pool) {
  const LimitLoops& loops = PickLimitLoops(isa);
  const int64_t start = NowNs();
  while (MsSince(start) < kProbeMs) {
    pool->ParallelParts([&](int) { loops.spin_f32(20000); });
  }
}

}  // namespace

DeviceProfile MeasureDevice(const MeasureOptions& options, ThreadPool* pool) {
  const auto done = [&](double share) {
    if (options.progress) options.progress(share);
  };
  DeviceProfile profile;
  profile.cpu = CpuModel();
  profile.isa = IsaName(options.isa);
  profile.cores = AvailableCpus();
  profile.threads = pool->threads();
  done(0);
  {
    const ThreadPool::Run awake(pool);
    MeasureArithmetic(options.isa, pool, &profile);
    done(0.3);
    MeasureMemory(options.isa, pool, &profile);
    done(0.6);
  }
  profile.energy_meter =
      ProbeEnergyMeter(
          {}, {[] { StayIdle(); }, [&] { KeepBusy(options.isa, pool); }})
          .meter;
  done(0.7);
  const Status storage = MeasureStorage(options.folder, &profile);
  if (!storage.ok()) profile.io_note = "not measured: " + storage.message();
  done(1);
  return profile;
}

}  // namespace stint

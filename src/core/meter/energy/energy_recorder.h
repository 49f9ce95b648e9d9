#pragma once
// Energy of one's own work, from the best meter there is: idle before and
// after, the work between.

#include <optional>
#include <string>
#include <vector>

#include "core/meter/energy/energy_block.h"
#include "core/meter/energy/energy_probe.h"

namespace stint {

struct EnergyOptions {
  EnergyPlaces places;
  // CSV of a meter outside of the machine, growing while we work; then no other
  // meter is used.
  std::string external_log;
  // Grade D instead of E where nothing can be measured; 0: not wanted.
  double watts_per_core = 0;
  double idle_seconds = 1;  // of each idle block
};

struct EnergyReport {
  EnergyMeter meter;
  std::string shown_as;  // "measured", "integrated", ... "no energy"
  double seconds = 0;
  double cpu_seconds = 0;  // user and system, all threads
  std::optional<EnergyReading> gross;
  std::optional<IdlePower> idle;
  std::optional<NetEnergy> net;
  std::string note;  // what makes the figures weaker than their grade
};

// Used by one thread at a time.
class EnergyRecorder {
 public:
  // Probes the machine. Fails only on a log that cannot be read.
  static Result<EnergyRecorder> Make(const EnergyOptions& options);

  const EnergyMeter& meter() const { return meter_; }
  // Whether there is a figure for which idle blocks and long blocks matter.
  bool measures() const { return source_ != nullptr || !log_.empty(); }

  // The shortest block that this meter can compare; 0 where nothing is
  // measured.
  double LeastBlockSeconds() const;

  // Does nothing for a while; at once where nothing is measured.
  Status Idle();
  Status Begin();
  // `cpu_seconds` of the work, which need not be this process's.
  Status End(double cpu_seconds);
  // The work between the last Begin and End, with all idle blocks since Make or
  // ForgetIdle. Waits until an external log has come that far.
  Result<EnergyReport> Report();
  void ForgetIdle() { idle_.clear(); }

 private:
  // Begin and end on the clock that external logs use.
  struct Span {
    double begin = 0, end = 0;
  };
  EnergyRecorder() = default;
  Status ReadExternal();

  EnergyMeter meter_;
  std::unique_ptr<EnergySource> source_;
  std::string log_;
  double watts_per_core_ = 0;
  double idle_seconds_ = 1;
  std::vector<EnergyReading> idle_;
  std::vector<Span> idle_spans_;
  std::optional<EnergyBlock> block_;
  std::optional<EnergyReading> gross_;
  Span span_;
  int64_t start_ns_ = 0;
  double seconds_ = 0;
  double cpu_seconds_ = 0;
};

// Mean power of the machine while `work` is done, again and again for a second
// or more. kUnsupported, with the reason, where there is no live meter.
Result<double> WattsWhile(const EnergyOptions& options,
                          FunctionRef<void()> work);

// Keeps every CPU busy for that long.
void SpinAllCpus(double seconds);

}  // namespace stint

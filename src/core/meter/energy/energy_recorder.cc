#include "core/meter/energy/energy_recorder.h"

#include <atomic>
#include <cmath>
#include <thread>

#include "core/meter/energy/power_log.h"
#include "core/platform/clock.h"
#include "core/platform/cpu_info.h"
#include "core/platform/file.h"

namespace stint {
namespace {

constexpr double kProbeSeconds = 0.3;
// Long enough for every kind of meter.
constexpr double kLoadSeconds = 1.05;
// How long a log may lag behind.
constexpr double kLogSeconds = 10;
// Modeled estimates were found off by so much.
constexpr double kModelError = 0.4;

void SleepFor(double seconds) {
  SleepUntilNs(NowNs() + static_cast<int64_t>(seconds * 1e9));
}

std::string ShownAs(const std::string& grade) {
  return stint::ShownAs(static_cast<EnergyGrade>(grade[0] - 'A'));
}

}  // namespace

void SpinAllCpus(double seconds) {
  const int64_t start = NowNs();
  const auto spin = [start, seconds] {
    double sum = 1;
    while (MsSince(start) < seconds * 1e3) {
      for (int i = 0; i < 1000; ++i) sum = sum * 1.000001 + 0.5;
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    return sum;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < AvailableCpus(); ++i) others.emplace_back(spin);
  spin();
  for (std::thread& thread : others) thread.join();
}

Result<EnergyRecorder> EnergyRecorder::Make(const EnergyOptions& options) {
  EnergyRecorder recorder;
  recorder.watts_per_core_ = options.watts_per_core;
  recorder.idle_seconds_ = options.idle_seconds;
  if (!options.external_log.empty()) {
    STINT_ASSIGN_OR_RETURN(const std::string text,
                           ReadFile(options.external_log));
    const auto log = ParsePowerLog(text);
    if (!log.ok()) return log.status().Annotate(options.external_log);
    recorder.log_ = options.external_log;
    recorder.meter_ = {"C", options.external_log};
    return recorder;
  }
  LiveMeter live = ProbeEnergyMeter(
      options.places,
      {[] { SleepFor(kProbeSeconds); }, [] { SpinAllCpus(kProbeSeconds); }});
  recorder.meter_ = std::move(live.meter);
  recorder.source_ = std::move(live.source);
  if (recorder.source_ == nullptr && options.watts_per_core > 0) {
    recorder.meter_ = {"D", "CPU seconds x watts per busy core (" +
                                recorder.meter_.source + ")"};
  }
  return recorder;
}

Status EnergyRecorder::Idle() {
  if (!measures()) return OkStatus();
  const double begin = UnixSeconds();
  if (source_ == nullptr) {
    SleepFor(idle_seconds_);
    idle_spans_.push_back({begin, UnixSeconds()});
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(EnergyBlock block, EnergyBlock::Start(source_.get()));
  SleepFor(idle_seconds_);
  STINT_ASSIGN_OR_RETURN(const EnergyReading reading, block.Stop());
  idle_.push_back(reading);
  return OkStatus();
}

Status EnergyRecorder::Begin() {
  gross_.reset();
  start_ns_ = NowNs();
  span_.begin = UnixSeconds();
  if (source_ == nullptr) return OkStatus();
  STINT_ASSIGN_OR_RETURN(EnergyBlock block, EnergyBlock::Start(source_.get()));
  block_.emplace(std::move(block));
  return OkStatus();
}

Status EnergyRecorder::End(double cpu_seconds) {
  seconds_ = MsSince(start_ns_) * 1e-3;
  span_.end = UnixSeconds();
  cpu_seconds_ = cpu_seconds;
  if (source_ == nullptr) return OkStatus();
  auto reading = block_->Stop();
  block_.reset();
  if (!reading.ok()) return reading.status();
  gross_ = *reading;
  return OkStatus();
}

double EnergyRecorder::LeastBlockSeconds() const {
  if (source_ != nullptr) return source_->least_block_seconds();
  return log_.empty() ? 0 : kLeastBlockSeconds;
}

Status EnergyRecorder::ReadExternal() {
  const int64_t start = NowNs();
  while (true) {
    STINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(log_));
    const auto log = ParsePowerLog(text);
    if (!log.ok()) return log.status().Annotate(log_);
    double last = span_.end;
    for (const Span& span : idle_spans_) last = std::max(last, span.end);
    const bool complete = !log->seconds.empty() && log->seconds.back() >= last;
    if (!complete && MsSince(start) < kLogSeconds * 1e3) {
      SleepFor(0.1);
      continue;
    }
    const auto gross = EnergyBetween(*log, span_.begin, span_.end);
    if (!gross.ok()) return gross.status().Annotate(log_);
    gross_ = *gross;
    idle_.clear();
    for (const Span& span : idle_spans_) {
      const auto idle = EnergyBetween(*log, span.begin, span.end);
      if (!idle.ok()) return idle.status().Annotate(log_);
      idle_.push_back(*idle);
    }
    return OkStatus();
  }
}

Result<EnergyReport> EnergyRecorder::Report() {
  if (!log_.empty()) STINT_RETURN_IF_ERROR(ReadExternal());
  EnergyReport report;
  report.meter = meter_;
  report.shown_as = ShownAs(meter_.grade);
  report.seconds = seconds_;
  report.cpu_seconds = cpu_seconds_;
  if (meter_.grade == "D") {
    const double joules = cpu_seconds_ * watts_per_core_;
    report.gross = EnergyReading{seconds_, joules, joules * kModelError, 0};
    report.note = "modeled; not to be ranked";
    return report;
  }
  if (!gross_) return report;
  report.gross = gross_;
  if (!idle_.empty()) {
    report.idle = IdleFrom(idle_);
    report.net = SubtractIdle(*gross_, *report.idle);
    if (report.net->below_resolution) report.note = "net is below resolution";
  }
  if (seconds_ < LeastBlockSeconds() ||
      (meter_.grade != "A" && gross_->samples < kLeastSamples)) {
    report.note += (report.note.empty() ? "" : "; ") +
                   std::string("too short a block for this meter");
  }
  return report;
}

Result<double> WattsWhile(const EnergyOptions& options,
                          FunctionRef<void()> work) {
  STINT_ASSIGN_OR_RETURN(EnergyRecorder recorder,
                         EnergyRecorder::Make(options));
  if (!recorder.measures()) {
    return Unsupported("no live energy meter: " + recorder.meter().source);
  }
  STINT_RETURN_IF_ERROR(recorder.Begin());
  const double cpu_ms = ProcessCpuMs();
  const int64_t start = NowNs();
  do {
    work();
  } while (MsSince(start) < kLoadSeconds * 1e3);
  STINT_RETURN_IF_ERROR(recorder.End((ProcessCpuMs() - cpu_ms) * 1e-3));
  STINT_ASSIGN_OR_RETURN(const EnergyReport report, recorder.Report());
  if (!report.gross || !(report.gross->watts() > 0)) {
    return Unsupported("the energy meter (" + recorder.meter().source +
                       ") showed no power: " + report.note);
  }
  return report.gross->watts();
}

}  // namespace stint

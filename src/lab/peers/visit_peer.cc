#include "lab/peers/visit_peer.h"

#include <algorithm>
#include <cmath>

#include "convert/data/npy.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/machine/machine_state.h"

namespace stint {
namespace {

// The share of the timed seconds that warming up takes.
constexpr double kWarmUpShare = 0.2;
constexpr double kMinRuns = 3;
// More times say nothing new about p99 and fill the database.
constexpr double kMaxRuns = 2000;
// In one request where the time of a block counts, not the number of its runs.
constexpr double kMaxRunsOfBlock = 1e6;

std::string StatusWord(StatusCode code) {
  switch (code) {
    case StatusCode::kNotFound:
      return "missing";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kIo:
      return "crashed";
    case StatusCode::kCancelled:
      return "timeout";
    case StatusCode::kMismatch:
      return "wrong";
    default:
      return "failed";
  }
}

Result<std::vector<NamedValue>> ReadOutputs(
    const std::vector<PeerOutput>& files) {
  std::vector<NamedValue> outputs;
  for (const PeerOutput& file : files) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, ReadNpy(file.file));
    outputs.push_back({file.name, std::move(tensor)});
  }
  return outputs;
}

int64_t RunsFor(double seconds, double run_ms, double most = kMaxRuns) {
  return static_cast<int64_t>(
      std::clamp(seconds * 1000 / std::max(run_ms, 1e-3), kMinRuns, most));
}

// Warms up and answers with what a run takes, in ms. One that takes longer than
// the warm-up should needs none beside the probe.
Result<double> WarmUp(PeerClient* client, double seconds) {
  STINT_ASSIGN_OR_RETURN(const PeerRun probe, client->Run(2, ""));
  double run_ms = Quantile(probe.times_ms, 0);
  const double warm_up_seconds = seconds * kWarmUpShare;
  if (run_ms < warm_up_seconds * 1000) {
    STINT_ASSIGN_OR_RETURN(const PeerRun warm,
                           client->Run(RunsFor(warm_up_seconds, run_ms), ""));
    run_ms = Median(warm.times_ms);
  }
  return run_ms;
}

struct TimedRuns {
  std::vector<double> times_ms;  // some of them, where there are many
  double runs = 0;
  double cpu_ms = 0;
  int64_t peak_rss_bytes = 0;
};

void Add(const PeerRun& part, int64_t runs, TimedRuns* timed) {
  timed->times_ms.insert(timed->times_ms.end(), part.times_ms.begin(),
                         part.times_ms.end());
  timed->runs += static_cast<double>(runs);
  timed->cpu_ms += part.cpu_ms;
  timed->peak_rss_bytes = part.peak_rss_bytes;
}

// At most kMaxRuns of the values, evenly spread.
std::vector<double> Thinned(const std::vector<double>& values) {
  const auto step = static_cast<size_t>(
      std::ceil(std::max(1.0, static_cast<double>(values.size()) / kMaxRuns)));
  std::vector<double> kept;
  for (size_t i = 0; i < values.size(); i += step) kept.push_back(values[i]);
  return kept;
}

// About `seconds` of runs; where these are a block of energy they go on until
// the time is over, however fast a run is.
Result<TimedRuns> RunFor(double seconds, double run_ms, bool block,
                         PeerClient* client) {
  TimedRuns timed;
  const int64_t start = NowNs();
  double left = seconds;
  do {
    const int64_t runs =
        RunsFor(left, run_ms, block ? kMaxRunsOfBlock : kMaxRuns);
    STINT_ASSIGN_OR_RETURN(
        const PeerRun part,
        client->Run(runs, "", static_cast<int64_t>(kMaxRuns)));
    Add(part, runs, &timed);
    left = seconds - MsSince(start) * 1e-3;
  } while (block && left > 0);
  timed.times_ms = Thinned(timed.times_ms);
  return timed;
}

// What the process's counters grew by.
void AddCounters(const ProcessCounters& before, const ProcessCounters& after,
                 Outcome* outcome) {
  const auto add = [&](const char* name, int64_t ProcessCounters::*counter) {
    outcome->samples[name] = {
        static_cast<double>(after.*counter - before.*counter)};
  };
  add("voluntary_switches", &ProcessCounters::voluntary_switches);
  add("involuntary_switches", &ProcessCounters::involuntary_switches);
  add("minor_faults", &ProcessCounters::minor_faults);
  add("major_faults", &ProcessCounters::major_faults);
}

Status AddEnergy(EnergyRecorder* energy, double runs, Outcome* outcome) {
  STINT_ASSIGN_OR_RETURN(const EnergyReport report, energy->Report());
  outcome->facts["energy_grade"] = report.meter.grade;
  outcome->facts["energy_source"] = report.meter.source;
  if (!report.note.empty()) outcome->facts["energy_note"] = report.note;
  auto& samples = outcome->samples;
  if (report.gross) {
    samples["gross_joules"] = {report.gross->joules / runs};
    samples["mean_watts"] = {report.gross->watts()};
  }
  if (report.net) {
    samples["idle_watts"] = {report.idle->watts};
    samples["net_joules"] = {report.net->joules / runs};
    samples["net_joules_error"] = {report.net->joules_error / runs};
  }
  return OkStatus();
}

bool MeasuresEnergy(const VisitOptions& options) {
  return options.energy != nullptr && options.energy->measures();
}

// Of the timed runs: a meter may want more than the caller.
double BlockSeconds(const VisitOptions& options) {
  if (!MeasuresEnergy(options)) return options.seconds;
  return std::max(options.seconds, options.energy->LeastBlockSeconds());
}

// The timed runs with everything that is recorded around them. Idle before and
// after is measured with the model loaded.
Status TimeRuns(const VisitOptions& options, PeerClient* client,
                Outcome* outcome) {
  STINT_ASSIGN_OR_RETURN(const double run_ms, WarmUp(client, options.seconds));
  if (options.energy != nullptr) {
    options.energy->ForgetIdle();
    STINT_RETURN_IF_ERROR(options.energy->Idle());
    STINT_RETURN_IF_ERROR(options.energy->Begin());
  }
  const ProcessCounters before = ReadProcessCounters(client->pid(), "");
  STINT_ASSIGN_OR_RETURN(
      const TimedRuns timed,
      RunFor(BlockSeconds(options), run_ms, MeasuresEnergy(options), client));
  AddCounters(before, ReadProcessCounters(client->pid(), ""), outcome);
  if (options.energy != nullptr) {
    STINT_RETURN_IF_ERROR(options.energy->End(timed.cpu_ms * 1e-3));
    STINT_RETURN_IF_ERROR(options.energy->Idle());
    STINT_RETURN_IF_ERROR(AddEnergy(options.energy, timed.runs, outcome));
  }
  auto& samples = outcome->samples;
  samples["run_ms"] = timed.times_ms;
  samples["cpu_ms"] = {timed.cpu_ms / timed.runs};
  samples["peak_rss_bytes"] = {static_cast<double>(timed.peak_rss_bytes)};
  return OkStatus();
}

// A runtime without a profiler is no failure.
Status ProfileRuns(int64_t runs, PeerClient* client, Outcome* outcome) {
  const auto profile = client->Profile(runs);
  if (profile.status().code() == StatusCode::kUnsupported) {
    outcome->facts["profile"] = profile.status().message();
    return OkStatus();
  }
  if (!profile.ok()) return profile.status();
  outcome->samples["profiled_ms"] = profile->times_ms;
  outcome->samples["kernel_ms"] = profile->kernel_ms;
  outcome->samples["kernels"] = {static_cast<double>(profile->kernels)};
  return OkStatus();
}

Status FirstAnswer(const PeerLoad& load, const VisitOptions& options,
                   PeerClient* client, PeerVisit* visit) {
  auto& samples = visit->outcome.samples;
  STINT_ASSIGN_OR_RETURN(const PeerDescription about, client->Describe());
  visit->outcome.facts["runtime"] = about.runtime;
  visit->outcome.facts["version"] = about.version;
  if (!load.mode.empty()) visit->outcome.facts["mode"] = load.mode;
  STINT_ASSIGN_OR_RETURN(const double load_ms, client->Load(load));
  samples["load_ms"] = {load_ms};
  STINT_ASSIGN_OR_RETURN(const PeerRun first,
                         client->Run(1, options.outputs_folder));
  samples["first_ms"] = first.times_ms;
  STINT_ASSIGN_OR_RETURN(visit->outputs, ReadOutputs(first.outputs));
  return OkStatus();
}

Status Measure(const PeerProgram& program, const PeerLoad& load,
               const VisitOptions& options, PeerVisit* visit) {
  auto& samples = visit->outcome.samples;
  if (options.cold) STINT_RETURN_IF_ERROR(DropPageCache(load.model));
  const int64_t start = NowNs();
  STINT_ASSIGN_OR_RETURN(PeerClient client,
                         PeerClient::Start(program, options.timeout_seconds +
                                                        BlockSeconds(options)));
  STINT_RETURN_IF_ERROR(FirstAnswer(load, options, &client, visit));
  samples[options.cold ? "cold_ms" : "start_ms"] = {MsSince(start)};
  if (options.seconds > 0) {
    STINT_RETURN_IF_ERROR(TimeRuns(options, &client, &visit->outcome));
  }
  if (options.profile_runs > 0) {
    STINT_RETURN_IF_ERROR(
        ProfileRuns(options.profile_runs, &client, &visit->outcome));
  }
  return client.Close();
}

}  // namespace

PeerVisit VisitPeer(const PeerProgram& program, const PeerLoad& load,
                    const VisitOptions& options) {
  PeerVisit visit;
  const Status status = Measure(program, load, options, &visit);
  if (!status.ok()) {
    const Outcome failed = FailedOutcome(status);
    visit.outcome.status = failed.status;
    visit.outcome.reason = failed.reason;
  }
  return visit;
}

Outcome FailedOutcome(const Status& status) {
  Outcome outcome;
  outcome.status = StatusWord(status.code());
  outcome.reason = status.message();
  return outcome;
}

}  // namespace stint

#pragma once
// One measured visit: a fresh process of a runtime loads a model, answers once,
// warms up, is timed and ends.

#include <string>
#include <vector>

#include "core/meter/energy/energy_recorder.h"
#include "lab/peers/peer_client.h"
#include "lab/study/study_database.h"
#include "stint/session.h"

namespace stint {

struct VisitOptions {
  double seconds = 0.5;          // of timed runs, roughly; 0: none
  double timeout_seconds = 120;  // for each answer
  bool cold = false;             // the model's files leave the page cache first
  std::string outputs_folder;    // where outputs go; empty: they are not wanted
  int64_t profile_runs = 0;      // after the timed runs, with a profiler
  EnergyRecorder* energy = nullptr;  // around the timed runs; null: none
};

struct PeerVisit {
  // Samples: load_ms, first_ms, start_ms (or cold_ms: launch of the process to
  // the first answer), run_ms (one per timed run), cpu_ms (per run),
  // peak_rss_bytes; voluntary_switches, involuntary_switches, minor_faults and
  // major_faults of the process during the timed runs; profiled_ms, kernel_ms
  // (one per profiled run) and kernels, where the runtime can profile;
  // gross_joules, net_joules and net_joules_error (per run), mean_watts and
  // idle_watts, where there is a meter. Facts: runtime, version, mode,
  // profile (why there is none), energy_grade, energy_source, energy_note.
  // Status: ok, missing, unsupported, crashed, timeout or failed.
  Outcome outcome;
  std::vector<NamedValue> outputs;  // of the first run, if wanted
};

PeerVisit VisitPeer(const PeerProgram& program, const PeerLoad& load,
                    const VisitOptions& options);

// The outcome of a point that ended with an error.
Outcome FailedOutcome(const Status& status);

}  // namespace stint

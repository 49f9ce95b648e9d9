#pragma once
// Budgets of a session on an elastic file, and what was planned within them.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "stint/status.h"

namespace stint {

struct Budget {
  // Of a run, at the asked percentile; 0: no limit.
  std::chrono::nanoseconds latency{0};
  double percentile = 95;
  // Resident memory of the whole process at its peak; 0: no limit.
  int64_t memory_bytes = 0;
  // The first run counts from the start of the process on: loading, planning
  // and reading are part of its latency. Later ones count from Run().
  bool from_launch = false;
  // Energy of a run; 0: no limit. At a known power it is a limit of latency:
  // see LimitByEnergy.
  double joules = 0;
  // What this machine draws while it runs; 0: measured, where it has a meter.
  double watts = 0;
  // Where no plan keeps the latency, use the fastest instead of refusing.
  bool best_effort = false;

  bool operator==(const Budget&) const = default;
};

// Lowers the latency of a budget of energy to joules / watts, and measures the
// watts where they are not given, which takes about a second. kInvalidArgument
// when this machine has no meter that can be used. Sessions do it for budgets
// that they are given.
Status LimitByEnergy(Budget* budget);

// One layer of a plan; times since the run began.
struct PlannedLayer {
  std::string name;       // of its first node
  std::vector<int> bits;  // of each slice; 0: left out
  int64_t pinned_bytes = 0;
  int64_t stream_bytes = 0;
  double read_begin_ms = 0;
  double read_end_ms = 0;  // 0 when nothing is streamed
  double compute_begin_ms = 0;
  double compute_end_ms = 0;
};

// Memory of the process for one purpose.
struct MemoryItem {
  std::string name;
  int64_t bytes = 0;
};

// How far the answers of a plan are from those of the whole model at its
// highest fidelity, measured on rows that were held back when the file was
// packed.
struct ExpectedAnswers {
  int rows = 0;  // held back; 0: none, so nothing is known
  // For classes the divergence, for embeddings 1 - cosine, otherwise the
  // relative squared difference; and its standard error.
  double loss = 0;
  double loss_error = 0;
  // Share of rows with the same class, below 0 where answers are no classes;
  // and its standard error.
  double same = -1;
  double same_error = 0;
};

struct PlanReport {
  std::string policy;
  double predicted_ms = 0;  // at the asked percentile
  int64_t predicted_peak_bytes = 0;
  double mean_bits = 0;
  int layers = 0;             // in use, of those that can be streamed
  int width = 0;              // slices in use of the widest layer
  int64_t fixed_bytes = 0;    // of the process without shards
  int64_t preload_bytes = 0;  // pinned between runs
  int64_t stream_bytes = 0;   // read by every run
  int64_t ring_bytes = 0;
  double loss = 0;  // expected loss, on the scale of the shards' importance
  ExpectedAnswers expected;
  // Bits per weight that storage delivers while the layers compute. Above 8,
  // reading is hidden behind computation at every fidelity.
  double hidden_bits = 0;
  // Plans with equal keys give the same answers bit for bit, with the same
  // threads and instruction set; empty where that cannot be said.
  std::string answers;
  // False: no plan keeps the latency, this is the fastest.
  bool keeps_latency = true;
  // How much slower layers run now than on this machine when idle: 1 is idle, 2
  // is half the speed.
  double busy = 1;
  std::vector<PlannedLayer> plan;
  bool io_uring = true;
  std::string io_note;  // why not
  // What `fixed_bytes` consists of, with SessionOptions::explain_memory.
  std::vector<MemoryItem> memory;
};

// Where the time of one run went. The phases add up to the time between the
// call of Run() and its answer, except for the session's own bookkeeping.
struct RunPhases {
  // Before it computed, which only runs do for which a plan is made:
  double rehearse_ms = 0;  // kernels timed, memory measured, or what is known
                           // of both taken from earlier processes
  double plan_ms = 0;
  double bind_ms = 0;  // making what the plan uses ready, and reading it where
                       // a plan was in force before
  // While it computed. A first run reads here what its plan pins.
  double wait_ms = 0;     // for weights and rows of tables from storage
  double compute_ms = 0;  // the rest, checksums included
};

// Since the session was made.
struct BudgetCounts {
  int64_t runs = 0;
  int64_t missed = 0;  // took longer than the budget, preparing included
  // How often the process was found above its memory budget after a run, and by
  // how much at most.
  int64_t over_memory = 0;
  int64_t most_over_bytes = 0;
  int64_t replans = 0;
  RunPhases last;         // of the last run
  double prepare_ms = 0;  // of the last run, before it computed
  int64_t bytes_read = 0;
  int64_t waits = 0;  // for weights
  double wait_ms = 0;
};

}  // namespace stint

#pragma once
// Budgets of a session on an elastic file, and what was planned within them.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace stint {

struct Budget {
  // Of a run, at the asked percentile; 0: no limit.
  std::chrono::nanoseconds latency{0};
  double percentile = 95;
  // Resident memory of the whole process at its peak; 0: no limit.
  int64_t memory_bytes = 0;

  bool operator==(const Budget&) const = default;
};

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
  double loss = 0;  // what answers are expected to suffer, in units of the
                    // model's importance
  // Bits per weight that could be read while the layers compute; above 8,
  // reading hides behind computation at every fidelity.
  double hidden_bits = 0;
  // Plans with equal keys give the same answers bit for bit, with the same
  // threads and instruction set; empty where that cannot be said.
  std::string answers;
  std::vector<PlannedLayer> plan;
  bool io_uring = true;
  std::string io_note;  // why not
};

// Since the session was made.
struct BudgetCounts {
  int64_t runs = 0;
  int64_t missed = 0;  // took longer than the budget
  int64_t replans = 0;
  int64_t bytes_read = 0;
  int64_t waits = 0;  // for weights
  double wait_ms = 0;
};

}  // namespace stint

#pragma once
// One model in several runtimes side by side: fresh processes, random
// interleaved rounds, outputs compared before anything is timed.

#include <cstdint>
#include <string>
#include <vector>

#include "core/meter/energy/energy_recorder.h"
#include "lab/bench/bench_report.h"
#include "lab/peers/make_inputs.h"
#include "lab/study/run_study.h"

namespace stint {

struct BenchOptions {
  std::string model;                 // an .onnx file or a Hugging Face folder
  std::vector<std::string> against;  // names of peers
  std::vector<int64_t> batches;      // empty: 1, or what the model fixes
  std::vector<int64_t> sequences;    // empty: 128
  std::vector<std::string> precisions = {"fp32"};
  int threads = 1;
  std::string isa;
  InputShapes input_shapes;
  std::string device;     // of stint; empty: the CPU
  std::string primitive;  // of convolutions in stint; empty: the fastest
  std::string schedule = "tuned";
  bool cold = false;
  int rounds = 9;
  double seconds = 0.4;          // of timed runs per round and row
  double timeout_seconds = 120;  // for each answer of a runtime
  uint64_t seed = 1;
  std::string peers_folder;
  std::string stint_executable;
  std::string database;  // empty: a temporary one
  // Measures the timed runs of each process; null: no energy. Not owned.
  EnergyRecorder* energy = nullptr;
};

// The first fp32 row that works, peers before stint, is the reference for the
// outputs. A row that is wrong or fails is in the report with its reason and
// is not timed further. With a database that has points of the same study
// those are not run again.
Result<BenchReport> BenchModel(const BenchOptions& options,
                               const StudyProgress& progress);

}  // namespace stint

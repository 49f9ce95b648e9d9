#pragma once
// Time, CPU time and energy of runtimes on the networks and batches of the
// published study of runtime infrastructures.

#include <cstdint>
#include <string>
#include <vector>

#include "core/meter/energy/energy_recorder.h"
#include "lab/energy/energy_report.h"
#include "lab/peers/make_inputs.h"
#include "lab/study/run_study.h"

namespace stint {

struct EnergyStudyOptions {
  std::vector<std::string> models;    // names of MakeNetwork, or .onnx files
  std::vector<std::string> runtimes;  // peers with their modes, without stint
  std::vector<int64_t> batches;
  int64_t sequence = 128;  // of text models
  int threads = 1;
  std::string isa;
  InputShapes input_shapes;
  int rounds = 0;      // 0: default
  double seconds = 0;  // of timed runs per point; 0: default
  double timeout_seconds = 300;
  uint64_t seed = 1;
  std::string peers_folder;
  std::string stint_executable;
  std::string database;  // empty: a temporary one
  bool resume = false;
  Shard shard = {};
};

// What is empty or 0 gets its default: the published design (ResNet-50,
// MobileNetV2, BERT; batch 1 and 64; 10 processes of 5 s), or, when `quick`,
// two networks at batch 1 and 8 with 10 processes of 1 s, or of 0.4 s where no
// meter wants longer blocks. Ten rounds can tell seven runtimes apart.
void FillEnergyOptions(bool quick, bool has_meter, EnergyStudyOptions* options);

// `energy` measures the timed runs of every process. Without `resume`, a
// database that has points of this study is refused.
Result<EnergyStudyReport> RunEnergyStudy(const EnergyStudyOptions& options,
                                         EnergyRecorder* energy,
                                         const StudyProgress& progress);

}  // namespace stint

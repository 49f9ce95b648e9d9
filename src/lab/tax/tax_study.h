#pragma once
// The framework tax: latency against batch and sequence in several runtimes,
// with what is needed to tell a runtime's own cost from that of its kernels.

#include <cstdint>
#include <string>
#include <vector>

#include "lab/peers/make_inputs.h"
#include "lab/study/run_study.h"
#include "lab/tax/tax_report.h"

namespace stint {

struct TaxStudyOptions {
  // Names of MakeNetwork, or .onnx files (which have no tiny twin).
  std::vector<std::string> models;
  std::vector<std::string> runtimes;  // peers with their modes, without stint
  std::vector<int64_t> batches;
  std::vector<int64_t> sequences;  // of text models: the first with all
                                   // batches, the others with batch 1
  std::string precision = "fp32";
  int threads = 1;
  std::string isa;
  InputShapes input_shapes;
  double delay_us = 0;  // of the check of the estimators, per step
  int rounds = 0;       // 0: default
  double seconds = 0;   // of timed runs per point; 0: default
  double timeout_seconds = 300;
  uint64_t seed = 1;
  std::string peers_folder;
  std::string stint_executable;
  std::string database;  // empty: a temporary one
  bool resume = false;
  Shard shard = {};
};

// What is empty or 0 gets its default: `quick` two small models, four batches,
// two rounds; otherwise the published design (four networks, batch 1 to 128)
// and families of encoders and convolutional networks at equal work.
void FillTaxOptions(bool quick, TaxStudyOptions* options);

// Every runtime on every model; stint also without kernels (stint:null), with a
// known delay per step (stint:delay=...) and once more (the noise). Without
// `resume`, a database that has points of this study is refused.
Result<TaxReport> RunTaxStudy(const TaxStudyOptions& options,
                              const StudyProgress& progress);

}  // namespace stint

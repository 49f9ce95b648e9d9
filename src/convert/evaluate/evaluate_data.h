#pragma once
// Runs a model over a data set and measures how often it is right: the loop
// behind `stint eval`.

#include <functional>
#include <string>
#include <vector>

#include "convert/data/glue.h"
#include "convert/data/preprocess.h"
#include "weights/package/package.h"

namespace stint {

// A package and what runs it: inputs in the order of its graph to outputs.
struct EvalModel {
  const Package* package = nullptr;
  std::function<Status(const std::vector<Value>& inputs,
                       std::vector<Value>* outputs)>
      run;
};

struct EvalOptions {
  std::string task;  // a GLUE task, "cifar10" or "imagefolder"
  std::string data;
  EncodeOptions text;
  Preprocessing image;
  bool keep_predictions = false;
  int64_t max_rows = 0;  // 0: all
  // Called after each row; returning false stops with kCancelled.
  std::function<bool(int64_t done, int64_t total)> progress;
};

struct EvalReport {
  std::string metric;  // "accuracy", "matthews" or "spearman"
  double value = 0;
  int64_t correct = 0;  // 0 for stsb
  int64_t correct_top5 = 0;
  int64_t total = 0;
  std::vector<double> run_ms;  // per row
  std::string right;           // per row '1' or '0'; empty for stsb
  std::vector<int> labels;     // per row the right class; empty for stsb
  // With keep_predictions, per row: label, prediction, then the raw outputs.
  std::vector<std::string> predictions;
};

Result<EvalReport> EvaluateData(const EvalModel& model,
                                const EvalOptions& options);

}  // namespace stint

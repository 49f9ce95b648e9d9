#pragma once
// Runs a model over a data set and measures how often it is right: the loop
// behind `stint eval`.

#include <functional>
#include <string>
#include <vector>

#include "convert/data/glue.h"
#include "convert/data/image/preprocess.h"
#include "core/meter/quantile_sketch.h"
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
  int64_t max_rows = 0;  // 0: all
  bool keep_right = false;
  bool keep_labels = false;
  // Given a line per row: label, prediction, then the raw outputs.
  std::function<Status(const std::string& line)> prediction;
  // Called after each row; returning false stops with kCancelled.
  std::function<bool(int64_t done, int64_t total)> progress;
};

struct EvalReport {
  std::string metric;  // "accuracy", "matthews" or "spearman"
  double value = 0;
  int64_t correct = 0;  // 0 for stsb
  int64_t correct_top5 = 0;
  int64_t total = 0;
  QuantileSketch run_ms;    // of rows
  std::string right;        // with keep_right, per row '1' or '0'; not of stsb
  std::vector<int> labels;  // with keep_labels, the right classes; not of stsb
};

// Memory does not grow with the rows of a text file or a plain .bin, but for
// what is to be kept and, of stsb, eight bytes a row. A text file is read
// twice: before the first run all rows that are wanted must be sound (kDamaged
// names the line), and they are counted.
Result<EvalReport> EvaluateData(const EvalModel& model,
                                const EvalOptions& options);

}  // namespace stint

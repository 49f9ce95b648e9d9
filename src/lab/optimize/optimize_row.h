#pragma once
// One form of a model that `stint optimize` tried: what was done to it and what
// came of it.

#include <cstdint>
#include <string>

#include "stint/compress.h"

namespace stint {

struct OptimizeRow {
  std::string name;       // "fp32", "int8", "4x1:50%"; "mix 3" for combinations
  bool plain = false;     // one thing done to all layers, to compare with
  std::string precision;  // to run it in
  CompressOptions compress;
  double accuracy = 0;
  double ms = 0;
  int64_t bytes = 0;             // of its ONNX file
  int64_t peak_bytes = 0;        // of a process that runs it; 0: not measured
  double predicted_ms = 0;       // for combinations
  std::string fails;             // which limit it misses; empty: none
  bool pareto = false;           // nothing is both faster and as accurate
  std::string Describe() const;  // "int8 12 layers, 4x1:60% 2, channels 3"
};

}  // namespace stint

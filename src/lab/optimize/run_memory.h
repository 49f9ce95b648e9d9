#pragma once
// What a model needs in memory to answer: the peak of a process of its own.

#include <string>
#include <vector>

#include "stint/convert.h"

namespace stint {

struct MemoryProbe {
  std::string stint_executable;
  std::vector<std::string> options;  // of `stint run`: "--threads", "1"
  bool package = true;               // runs a .stint file, not an ONNX file
  double timeout_seconds = 600;
};

// Writes a model that was imported without optimize: an ONNX file, or where
// `path` ends in .stint a plain package of what runs.
Status WriteModel(const Model& model, const std::string& path);

// VmHWM of a fresh `stint run` of the model on `row`, in bytes. `row` has a
// value for each input.
Result<int64_t> PeakMemoryOf(const Model& model, const std::string& precision,
                             const std::vector<Value>& row,
                             const MemoryProbe& probe);

}  // namespace stint

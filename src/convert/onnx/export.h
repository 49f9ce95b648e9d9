#pragma once
// Graphs to ONNX files.

#include <string>

#include "model/graph/graph.h"
#include "stint/status.h"

namespace stint {

// The bytes of an ONNX model. Attributes that have their default value are left
// out, so that runtimes which know only older opsets load it. kUnsupported for
// what an ONNX file cannot hold (over 2 GB of weights).
Result<std::string> ExportOnnxBytes(const Graph& graph);

}  // namespace stint

#pragma once
// Graphs to ONNX files that are known to be readable.

#include <string>

#include "model/graph/graph.h"
#include "stint/status.h"

namespace stint {

// Whether `read` has the inputs and outputs of `written`: names, element types
// and shapes. Of outputs more may be known. kDamaged says what differs.
Status CheckSameInterface(const Graph& written, const Graph& read);

// Writes the graph and reads it back before the file takes its place. Where it
// cannot be read, or is another model by its inputs and outputs, nothing is
// left. Returns its bytes.
Result<int64_t> WriteOnnxFile(const Graph& graph, const std::string& path);

}  // namespace stint

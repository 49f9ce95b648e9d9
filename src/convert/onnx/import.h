#pragma once
// ONNX files to graphs. Opset differences, local functions and operators that
// are made of others are settled here.

#include <memory>
#include <string>
#include <string_view>

#include "core/platform/file.h"
#include "model/graph/graph.h"
#include "stint/status.h"

namespace stint {

// Errors name the file. Operators that stint does not have are all reported at
// once, with counts and node names (kUnsupported).
Result<std::unique_ptr<Graph>> ImportOnnx(const std::string& path);

// The same from the bytes of `owner`, or, when that is null, from bytes that
// are copied; external data is looked for in `folder`.
Result<std::unique_ptr<Graph>> ImportOnnxBytes(
    std::string_view bytes, const std::string& folder,
    std::shared_ptr<const MappedFile> owner);

}  // namespace stint

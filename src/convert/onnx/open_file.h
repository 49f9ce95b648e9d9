#pragma once
// An ONNX file as a package.

#include <string>

#include "weights/package/package.h"

namespace stint {

// `tokenizer_folder` may be empty: the model then takes no text. `pooling`
// ("mean", "cls", "none") is added behind an output [batch, sequence, hidden].
Result<Package> OpenOnnxFile(const std::string& path,
                             const std::string& tokenizer_folder,
                             const std::string& pooling);

}  // namespace stint

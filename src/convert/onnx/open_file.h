#pragma once
// An ONNX file as a package.

#include <string>

#include "stint/pooling.h"
#include "weights/package/package.h"

namespace stint {

// `tokenizer_folder` may be empty: the model then takes no text. `pooling` is
// added behind an output [batch, sequence, hidden].
Result<Package> OpenOnnxFile(const std::string& path,
                             const std::string& tokenizer_folder,
                             Pooling pooling);

}  // namespace stint

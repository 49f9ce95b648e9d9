#pragma once
// The element type numbers of ONNX's TensorProto.DataType.

#include <cstdint>
#include <optional>

#include "stint/tensor.h"

namespace stint {

// Nothing for UNDEFINED and numbers we do not know.
std::optional<DType> DTypeFromOnnx(int32_t onnx_type);
int32_t DTypeToOnnx(DType dtype);

}  // namespace stint

#pragma once
// The element type numbers of ONNX's TensorProto.DataType.

#include <cstdint>
#include <optional>

#include "stint/tensor.h"

namespace stint {

// Nothing for UNDEFINED and numbers we do not know.
std::optional<DType> DTypeFromOnnx(int32_t onnx_type);
int32_t DTypeToOnnx(DType dtype);

// How many elements ONNX packs into a byte: 2 or 4 for narrow types, else 1.
int ElementsPerByte(DType dtype);

}  // namespace stint

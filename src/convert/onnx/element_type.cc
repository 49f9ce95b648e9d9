#include "convert/onnx/element_type.h"

#include "core/base/check.h"

namespace stint {
namespace {

struct Row {
  int32_t onnx;
  DType dtype;
};

constexpr Row kRows[] = {
    {1, DType::kFloat32},       {2, DType::kUInt8},
    {3, DType::kInt8},          {4, DType::kUInt16},
    {5, DType::kInt16},         {6, DType::kInt32},
    {7, DType::kInt64},         {8, DType::kString},
    {9, DType::kBool},          {10, DType::kFloat16},
    {11, DType::kFloat64},      {12, DType::kUInt32},
    {13, DType::kUInt64},       {14, DType::kComplex64},
    {15, DType::kComplex128},   {16, DType::kBFloat16},
    {17, DType::kFloat8E4M3FN}, {18, DType::kFloat8E4M3FNUZ},
    {19, DType::kFloat8E5M2},   {20, DType::kFloat8E5M2FNUZ},
    {21, DType::kUInt4},        {22, DType::kInt4},
    {23, DType::kFloat4E2M1},   {24, DType::kFloat8E8M0},
    {25, DType::kUInt2},        {26, DType::kInt2},
};

}  // namespace

std::optional<DType> DTypeFromOnnx(int32_t onnx_type) {
  for (const Row& row : kRows) {
    if (row.onnx == onnx_type) return row.dtype;
  }
  return std::nullopt;
}

int32_t DTypeToOnnx(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.onnx;
  }
  STINT_CHECK(false);
  return 0;
}

int ElementsPerByte(DType dtype) {
  switch (dtype) {
    case DType::kInt4:
    case DType::kUInt4:
    case DType::kFloat4E2M1:
      return 2;
    case DType::kInt2:
    case DType::kUInt2:
      return 4;
    default:
      return 1;
  }
}

}  // namespace stint

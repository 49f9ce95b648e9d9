#include <utf8proc.h>

#include <algorithm>
#include <vector>

#include "convert/data/npy.h"
#include "convert/data/npy_header.h"
#include "core/base/float_bits.h"
#include "core/platform/file.h"

namespace stint {
namespace {

// The type an element is written as; empty for strings, whose width varies.
std::string_view Descr(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E5M2:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat8E8M0:
    case DType::kFloat4E2M1:
      return "<f4";
    case DType::kFloat64:
      return "<f8";
    case DType::kFloat16:
      return "<f2";
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2:
      return "|i1";
    case DType::kInt16:
      return "<i2";
    case DType::kInt32:
      return "<i4";
    case DType::kInt64:
      return "<i8";
    case DType::kUInt8:
    case DType::kUInt4:
    case DType::kUInt2:
      return "|u1";
    case DType::kUInt16:
      return "<u2";
    case DType::kUInt32:
      return "<u4";
    case DType::kUInt64:
      return "<u8";
    case DType::kBool:
      return "|b1";
    case DType::kComplex64:
      return "<c8";
    case DType::kComplex128:
      return "<c16";
    case DType::kString:
      return "";
  }
  return "";
}

struct NarrowFloat {
  DType dtype;
  float (*widen)(uint8_t bits);
};

constexpr NarrowFloat kNarrowFloats[] = {
    {DType::kFloat8E4M3FN, [](uint8_t b) { return Float8ToFloat(b, kE4M3FN); }},
    {DType::kFloat8E4M3FNUZ,
     [](uint8_t b) { return Float8ToFloat(b, kE4M3FNUZ); }},
    {DType::kFloat8E5M2, [](uint8_t b) { return Float8ToFloat(b, kE5M2); }},
    {DType::kFloat8E5M2FNUZ,
     [](uint8_t b) { return Float8ToFloat(b, kE5M2FNUZ); }},
    {DType::kFloat8E8M0, Float8E8M0ToFloat},
    {DType::kFloat4E2M1, Float4E2M1ToFloat},
};

// Floats that NumPy lacks, as float32.
std::vector<float> WidenToFloat32(const Tensor& tensor) {
  std::vector<float> wide(tensor.size());
  if (tensor.dtype() == DType::kBFloat16) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      wide[i] = BFloat16ToFloat(tensor.data<uint16_t>()[i]);
    }
  }
  for (const NarrowFloat& row : kNarrowFloats) {
    if (row.dtype != tensor.dtype()) continue;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      wide[i] = row.widen(tensor.data<uint8_t>()[i]);
    }
  }
  return wide;
}

Result<std::vector<int32_t>> CodePoints(const std::string& text) {
  std::vector<int32_t> points;
  size_t at = 0;
  while (at < text.size()) {
    int32_t point = -1;
    const auto n = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
        static_cast<utf8proc_ssize_t>(text.size() - at), &point);
    if (n < 0) {
      return InvalidArgument("string element is not UTF-8 at byte " +
                             std::to_string(at));
    }
    points.push_back(point);
    at += static_cast<size_t>(n);
  }
  return points;
}

Result<std::string> EncodeStrings(const Tensor& tensor) {
  std::vector<std::vector<int32_t>> texts(tensor.size());
  size_t width = 1;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    STINT_ASSIGN_OR_RETURN(texts[i], CodePoints(tensor.data<std::string>()[i]));
    width = std::max(width, texts[i].size());
  }
  std::string bytes =
      FormatNpyHeader("<U" + std::to_string(width), tensor.shape());
  for (std::vector<int32_t>& text : texts) {
    text.resize(width, 0);
    bytes.append(reinterpret_cast<const char*>(text.data()),
                 width * sizeof(int32_t));
  }
  return bytes;
}

}  // namespace

Result<std::string> EncodeNpy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return EncodeStrings(tensor);
  const std::string_view descr = Descr(tensor.dtype());
  std::string bytes = FormatNpyHeader(descr, tensor.shape());
  if (descr == "<f4" && tensor.dtype() != DType::kFloat32) {
    const std::vector<float> wide = WidenToFloat32(tensor);
    bytes.append(reinterpret_cast<const char*>(wide.data()),
                 wide.size() * sizeof(float));
  } else {
    bytes.append(tensor.data<char>(), tensor.bytes());
  }
  return bytes;
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  Result<std::string> bytes = EncodeNpy(tensor);
  if (!bytes.ok()) return bytes.status().Annotate(path);
  return WriteFileAtomically(path, *bytes);
}

}  // namespace stint

#include "convert/data/npy.h"

#include <utf8proc.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "convert/data/compressed_file.h"
#include "convert/data/npy_header.h"
#include "core/base/checked_math.h"
#include "core/platform/file.h"

namespace stint {
namespace {

static_assert(std::endian::native == std::endian::little);

struct TypeRow {
  char kind;
  int64_t item_size;
  DType dtype;
};

constexpr TypeRow kTypes[] = {
    {'f', 2, DType::kFloat16},   {'f', 4, DType::kFloat32},
    {'f', 8, DType::kFloat64},   {'i', 1, DType::kInt8},
    {'i', 2, DType::kInt16},     {'i', 4, DType::kInt32},
    {'i', 8, DType::kInt64},     {'u', 1, DType::kUInt8},
    {'u', 2, DType::kUInt16},    {'u', 4, DType::kUInt32},
    {'u', 8, DType::kUInt64},    {'b', 1, DType::kBool},
    {'c', 8, DType::kComplex64}, {'c', 16, DType::kComplex128},
};

constexpr int64_t kBytesPerCodePoint = 4;

std::optional<DType> FindDType(const NpyHeader& header) {
  if (header.kind == 'U' || header.kind == 'S') return DType::kString;
  for (const TypeRow& row : kTypes) {
    if (row.kind == header.kind && row.item_size == header.item_size) {
      return row.dtype;
    }
  }
  return std::nullopt;
}

void SwapBytes(size_t unit, size_t count, char* data) {
  for (size_t i = 0; i < count; ++i) {
    std::reverse(data + i * unit, data + (i + 1) * unit);
  }
}

// The text of one fixed-width element without its trailing zeros.
Status DecodeString(std::string_view item, const NpyHeader& header,
                    std::string* text) {
  if (header.kind == 'S') {
    *text = item.substr(0, item.find_last_not_of('\0') + 1);
    return OkStatus();
  }
  size_t used = 0;  // length up to the last code point that is not zero
  for (size_t i = 0; i < item.size(); i += kBytesPerCodePoint) {
    uint32_t code = 0;
    std::memcpy(&code, item.data() + i, sizeof(code));
    if (header.big_endian) code = __builtin_bswap32(code);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
      return Damaged("string element holds " + std::to_string(code) +
                     ", which is no Unicode character");
    }
    utf8proc_uint8_t utf8[4];
    const auto n = utf8proc_encode_char(static_cast<int32_t>(code), utf8);
    text->append(reinterpret_cast<char*>(utf8), static_cast<size_t>(n));
    if (code != 0) used = text->size();
  }
  text->resize(used);
  return OkStatus();
}

Status DecodeElements(std::string_view data, const NpyHeader& header,
                      Tensor* tensor) {
  if (tensor->dtype() == DType::kString) {
    const size_t item = data.size() / std::max<int64_t>(tensor->size(), 1);
    for (int64_t i = 0; i < tensor->size(); ++i) {
      STINT_RETURN_IF_ERROR(DecodeString(data.substr(i * item, item), header,
                                         &tensor->data<std::string>()[i]));
    }
    return OkStatus();
  }
  char* out = tensor->data<char>();
  if (!data.empty()) std::memcpy(out, data.data(), data.size());
  if (tensor->dtype() == DType::kBool) {
    for (size_t i = 0; i < data.size(); ++i) out[i] = out[i] != 0;
  }
  if (header.big_endian) {
    const size_t unit = header.item_size / (header.kind == 'c' ? 2 : 1);
    SwapBytes(unit, data.size() / unit, out);
  }
  return OkStatus();
}

template <typename T>
void CopyReversed(const Tensor& source, const Shape& shape, Tensor* target) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  std::vector<int64_t> index(shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < target->size(); ++i) {
    target->data<T>()[i] = source.data<T>()[offset];
    for (size_t axis = shape.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < shape[axis]) break;
      offset -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

struct Bytes16 {
  uint64_t part[2];
};

// Elements in column-major order of `shape` into row-major order.
Result<Tensor> FromFortranOrder(const Tensor& source, const Shape& shape) {
  STINT_ASSIGN_OR_RETURN(Tensor target,
                         Tensor::Allocate(source.dtype(), shape));
  if (source.dtype() == DType::kString) {
    CopyReversed<std::string>(source, shape, &target);
    return target;
  }
  switch (DTypeSize(source.dtype())) {
    case 1:
      CopyReversed<uint8_t>(source, shape, &target);
      break;
    case 2:
      CopyReversed<uint16_t>(source, shape, &target);
      break;
    case 4:
      CopyReversed<uint32_t>(source, shape, &target);
      break;
    case 8:
      CopyReversed<uint64_t>(source, shape, &target);
      break;
    default:
      CopyReversed<Bytes16>(source, shape, &target);
  }
  return target;
}

// Checks that the elements announced are exactly the bytes present, before
// anything is allocated for them.
Status CheckSize(const NpyHeader& header, int64_t found) {
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(header.shape));
  int64_t item = header.item_size;
  int64_t expected = 0;
  if ((header.kind == 'U' && !CheckedMul(item, kBytesPerCodePoint, &item)) ||
      !CheckedMul(count, item, &expected) || expected != found) {
    return Damaged("shape " + ToString(header.shape) + " of " +
                   std::string(1, header.kind) +
                   std::to_string(header.item_size) + " needs " +
                   (expected > 0 ? std::to_string(expected) : "other") +
                   " bytes, found " + std::to_string(found));
  }
  if (item == 0 && count > 0) {
    return Unsupported("strings of width 0");
  }
  return OkStatus();
}

}  // namespace

Result<Tensor> DecodeNpy(std::string_view bytes) {
  STINT_ASSIGN_OR_RETURN(const NpyHeader header, ParseNpyHeader(bytes));
  const std::optional<DType> dtype = FindDType(header);
  if (!dtype) {
    return Unsupported("npy element type " + std::string(1, header.kind) +
                       std::to_string(header.item_size));
  }
  const std::string_view data = bytes.substr(header.data_offset);
  STINT_RETURN_IF_ERROR(CheckSize(header, static_cast<int64_t>(data.size())));
  STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(*dtype, header.shape));
  STINT_RETURN_IF_ERROR(DecodeElements(data, header, &tensor));
  if (!header.fortran_order || header.shape.size() < 2) return tensor;
  return FromFortranOrder(tensor, header.shape);
}

Result<Tensor> ReadNpy(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string bytes, ReadMaybeCompressed(path));
  Result<Tensor> tensor = DecodeNpy(bytes);
  if (!tensor.ok()) return tensor.status().Annotate(path);
  return tensor;
}

}  // namespace stint

#include "convert/onnx/tensor_reader.h"

#include <charconv>
#include <cstring>

#include "convert/onnx/element_type.h"
#include "core/base/checked_math.h"
#include "core/tensor/element_access.h"

namespace stint::onnx {
namespace {

std::string Named(const TensorProto& proto) {
  return "tensor '" + std::string(proto.name) + "'";
}

// Spreads packed elements, low bits first, over one byte each.
void Unpack(const uint8_t* packed, int per_byte, Tensor* tensor) {
  const int bits = 8 / per_byte;
  const int mask = (1 << bits) - 1;
  const bool is_signed =
      tensor->dtype() == DType::kInt4 || tensor->dtype() == DType::kInt2;
  int8_t* out = tensor->data<int8_t>();
  for (int64_t i = 0; i < tensor->size(); ++i) {
    int code = (packed[i / per_byte] >> (bits * (i % per_byte))) & mask;
    if (is_signed && (code >> (bits - 1)) != 0) code -= 1 << bits;
    out[i] = static_cast<int8_t>(code);
  }
}

Status WrongCount(const TensorProto& proto, const char* what, size_t found,
                  int64_t expected) {
  return Damaged(Named(proto) + " of shape " + ToString(proto.dims) + " has " +
                 std::to_string(found) + " " + what + ", expected " +
                 std::to_string(expected));
}

Result<Tensor> FromRaw(const TensorProto& proto, DType dtype, int64_t count,
                       std::string_view raw,
                       const std::shared_ptr<const MappedFile>& owner) {
  const int per_byte = ElementsPerByte(dtype);
  int64_t bytes = 0;
  if (!CheckedMul(CeilDiv(count, per_byte),
                  static_cast<int64_t>(DTypeSize(dtype)), &bytes) ||
      static_cast<int64_t>(raw.size()) != bytes) {
    return WrongCount(proto, "bytes of raw data", raw.size(), bytes);
  }
  const std::span<const uint8_t> part(
      reinterpret_cast<const uint8_t*>(raw.data()), raw.size());
  const auto address = reinterpret_cast<uintptr_t>(raw.data());
  if (per_byte == 1 && owner != nullptr && dtype != DType::kBool && count > 0 &&
      address % DTypeSize(dtype) == 0) {
    return Tensor::Borrow(dtype, proto.dims, const_cast<char*>(raw.data()),
                          MappedFile::Hold(owner, part));
  }
  STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, proto.dims));
  if (per_byte > 1) {
    Unpack(part.data(), per_byte, &tensor);
  } else if (dtype == DType::kBool) {
    for (int64_t i = 0; i < count; ++i) tensor.data<bool>()[i] = raw[i] != 0;
  } else if (count > 0) {
    std::memcpy(tensor.raw(), raw.data(), raw.size());
  }
  if (owner != nullptr) owner->Release(part);
  return tensor;
}

template <typename T, typename Source>
Result<Tensor> FromNumbers(const TensorProto& proto, DType dtype, int64_t count,
                           const Source& source) {
  if (static_cast<int64_t>(source.size()) != count) {
    return WrongCount(proto, "elements", source.size(), count);
  }
  STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, proto.dims));
  for (int64_t i = 0; i < count; ++i) {
    tensor.data<T>()[i] = static_cast<T>(source[i]);
  }
  return tensor;
}

// 8-bit and narrower types come one per int32, packed ones as packed bytes.
Result<Tensor> FromPackedInts(const TensorProto& proto, DType dtype,
                              int64_t count) {
  const int per_byte = ElementsPerByte(dtype);
  if (static_cast<int64_t>(proto.int32_data.size()) !=
      CeilDiv(count, per_byte)) {
    return WrongCount(proto, "elements", proto.int32_data.size(),
                      CeilDiv(count, per_byte));
  }
  std::string bytes;
  for (int32_t value : proto.int32_data) bytes += static_cast<char>(value);
  return FromRaw(proto, dtype, count, bytes, nullptr);
}

Result<Tensor> FromTyped(const TensorProto& proto, DType dtype, int64_t count) {
  switch (dtype) {
    case DType::kFloat32:
      return FromNumbers<float>(proto, dtype, count, proto.float_data);
    case DType::kFloat64:
      return FromNumbers<double>(proto, dtype, count, proto.double_data);
    case DType::kInt64:
      return FromNumbers<int64_t>(proto, dtype, count, proto.int64_data);
    case DType::kUInt64:
      return FromNumbers<uint64_t>(proto, dtype, count, proto.uint64_data);
    case DType::kUInt32:
      return FromNumbers<uint32_t>(proto, dtype, count, proto.uint64_data);
    case DType::kInt32:
      return FromNumbers<int32_t>(proto, dtype, count, proto.int32_data);
    case DType::kInt16:
    case DType::kUInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return FromNumbers<uint16_t>(proto, dtype, count, proto.int32_data);
    case DType::kString: {
      if (static_cast<int64_t>(proto.string_data.size()) != count) {
        return WrongCount(proto, "strings", proto.string_data.size(), count);
      }
      STINT_ASSIGN_OR_RETURN(Tensor tensor,
                             Tensor::Allocate(dtype, proto.dims));
      for (int64_t i = 0; i < count; ++i) {
        tensor.data<std::string>()[i] = std::string(proto.string_data[i]);
      }
      return tensor;
    }
    case DType::kComplex64:
    case DType::kComplex128:
      return Unsupported(Named(proto) + " is complex");
    default:
      return FromPackedInts(proto, dtype, count);
  }
}

// A non-negative number in the text of an external-data entry.
Result<int64_t> ParseOffset(const TensorProto& proto, std::string_view key,
                            std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return Damaged(Named(proto) + ": external " + std::string(key) + " is '" +
                   std::string(text) + "', expected a number");
  }
  return value;
}

}  // namespace

Result<std::string_view> TensorReader::ExternalBytes(
    const TensorProto& proto, std::shared_ptr<const MappedFile>* owner) {
  std::string location;
  int64_t offset = 0;
  int64_t length = -1;
  for (const auto& [key, value] : proto.external_data) {
    if (key == "location") {
      location = std::string(value);
    } else if (key == "offset") {
      STINT_ASSIGN_OR_RETURN(offset, ParseOffset(proto, key, value));
    } else if (key == "length") {
      STINT_ASSIGN_OR_RETURN(length, ParseOffset(proto, key, value));
    }
  }
  // The location must stay inside the model's folder.
  if (location.empty() || location.front() == '/' ||
      location.find("..") != std::string::npos) {
    return Damaged(Named(proto) + ": external location '" + location +
                   "' is not a path below the model's folder");
  }
  auto& file = files_[location];
  if (file == nullptr) {
    auto opened = MappedFile::Open(JoinPath(folder_, location));
    if (!opened.ok()) return opened.status().Annotate(Named(proto));
    file = std::move(opened).value();
  }
  const int64_t size = static_cast<int64_t>(file->bytes().size());
  if (length < 0) length = size - offset;
  int64_t end = 0;
  if (!CheckedAdd(offset, length, &end) || end > size || length < 0) {
    return Damaged(Named(proto) + ": external data at offset " +
                   std::to_string(offset) + " of " + std::to_string(length) +
                   " bytes lies outside of " + file->path() + " with " +
                   std::to_string(size) + " bytes");
  }
  *owner = file;
  return std::string_view(
      reinterpret_cast<const char*>(file->bytes().data()) + offset,
      static_cast<size_t>(length));
}

Result<Tensor> TensorReader::Read(const TensorProto& proto) {
  const auto dtype = DTypeFromOnnx(proto.data_type);
  if (!dtype) {
    return Unsupported(Named(proto) + " has element type number " +
                       std::to_string(proto.data_type));
  }
  auto count = ElementCount(proto.dims);
  if (!count.ok())
    return Damaged(Named(proto) + ": " + count.status().message());
  if (proto.is_external) {
    std::shared_ptr<const MappedFile> owner;
    STINT_ASSIGN_OR_RETURN(const std::string_view raw,
                           ExternalBytes(proto, &owner));
    return FromRaw(proto, *dtype, *count, raw, owner);
  }
  if (proto.raw_data) {
    if (*dtype == DType::kString) {
      return Damaged(Named(proto) + " has raw data for strings");
    }
    return FromRaw(proto, *dtype, *count, *proto.raw_data, owner_);
  }
  return FromTyped(proto, *dtype, *count);
}

Result<Tensor> TensorReader::ReadSparse(const SparseTensorProto& proto) {
  STINT_ASSIGN_OR_RETURN(const Tensor values, Read(proto.values));
  STINT_ASSIGN_OR_RETURN(const Tensor indices, Read(proto.indices));
  auto dense = Tensor::Allocate(values.dtype(), proto.dims);
  if (!dense.ok()) return dense.status().Annotate(Named(proto.values));
  const std::vector<int64_t> strides = StridesOf(proto.dims);
  const int64_t rank = static_cast<int64_t>(proto.dims.size());
  const bool linear = indices.rank() == 1;
  if (indices.dtype() != DType::kInt64 ||
      indices.size() != values.size() * (linear ? 1 : rank)) {
    return Damaged(Named(proto.values) + ": indices " +
                   ToString(indices.shape()) + " do not fit " +
                   std::to_string(values.size()) + " values");
  }
  const int64_t* index = indices.data<int64_t>();
  const size_t element = DTypeSize(values.dtype());
  for (int64_t i = 0; i < values.size(); ++i) {
    int64_t at = linear ? index[i] : 0;
    for (int64_t d = 0; d < rank && !linear; ++d) {
      const int64_t coordinate = index[i * rank + d];
      if (coordinate < 0 || coordinate >= proto.dims[d]) at = -1;
      if (at >= 0) at += coordinate * strides[d];
    }
    if (at < 0 || at >= dense->size()) {
      return Damaged(Named(proto.values) + ": index " + std::to_string(i) +
                     " lies outside of " + ToString(proto.dims));
    }
    std::memcpy(static_cast<char*>(dense->raw()) + at * element,
                static_cast<const char*>(values.raw()) + i * element, element);
  }
  return dense;
}

Result<Tensor> ReadTensorFile(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  const std::string_view bytes(
      reinterpret_cast<const char*>(file->bytes().data()),
      file->bytes().size());
  auto proto = ParseTensor(bytes);
  if (!proto.ok()) return proto.status().Annotate(path);
  TensorReader reader(DirectoryOf(path), file);
  auto tensor = reader.Read(*proto);
  if (!tensor.ok()) return tensor.status().Annotate(path);
  return tensor;
}

namespace {

Result<Value> ToValue(const ValueProto& proto, TensorReader* reader) {
  if (proto.tensor) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, reader->Read(*proto.tensor));
    return Value(std::move(tensor));
  }
  std::vector<Value> elements;
  for (const ValueProto& element : proto.elements) {
    STINT_ASSIGN_OR_RETURN(Value value, ToValue(element, reader));
    elements.push_back(std::move(value));
  }
  return Value::Sequence(std::move(elements));
}

}  // namespace

Result<Value> ReadValueFile(const std::string& path, const TypeProto& type) {
  if (type.kind != TypeProto::Kind::kSequence &&
      type.kind != TypeProto::Kind::kOptional) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, ReadTensorFile(path));
    return Value(std::move(tensor));
  }
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  auto proto = ParseValue({reinterpret_cast<const char*>(file->bytes().data()),
                           file->bytes().size()});
  if (!proto.ok()) return proto.status().Annotate(path);
  TensorReader reader(DirectoryOf(path), file);
  auto value = ToValue(*proto, &reader);
  if (!value.ok()) return value.status().Annotate(path);
  if (type.kind == TypeProto::Kind::kSequence) return value;
  std::shared_ptr<const Value> element;
  if (!value->elements().empty()) {
    element = std::make_shared<const Value>(value->elements()[0]);
  }
  return Value::Optional(element);
}

}  // namespace stint::onnx

#include "model/ops/value_type.h"

#include "core/base/checked_math.h"

namespace stint {

bool ValueType::IsConcrete() const {
  if (!typed || !ranked || !is_tensor()) return false;
  for (int64_t dim : dims) {
    if (!IsKnown(dim)) return false;
  }
  return true;
}

Status CheckDims(const Shape& dims) {
  // 16 bytes is the widest element.
  int64_t bytes = 16;
  bool fits = true;
  for (int64_t dim : dims) {
    if (!IsKnown(dim) || dim == 0) continue;
    fits = fits && dim <= kMaxDim && CheckedMul(bytes, dim, &bytes);
  }
  if (fits) return OkStatus();
  return ResourceExhausted("shape " + ToString(dims) +
                           " has more elements than any memory");
}

ValueType TypeOf(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kTensor:
      return ValueType::Of(value.tensor());
    case Value::Kind::kSequence: {
      ValueType type = ValueType::SequenceOf(
          value.elements().empty() ? DType::kFloat32
                                   : TypeOf(value.elements()[0]).dtype);
      type.typed = !value.elements().empty();
      return type;
    }
    case Value::Kind::kOptional: {
      ValueType type;
      if (value.has_element()) {
        const ValueType inner = TypeOf(value.elements()[0]);
        type = inner;
        type.optional_sequence = inner.kind == Value::Kind::kSequence;
      }
      type.kind = Value::Kind::kOptional;
      return type;
    }
  }
  return {};
}

namespace {

std::string DimsToString(const ValueType& type,
                         const std::vector<std::string>& symbols) {
  if (!type.ranked) return "[...]";
  std::string text = "[";
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (i > 0) text += ',';
    const int64_t dim = type.dims[i];
    if (IsKnown(dim)) {
      text += std::to_string(dim);
      continue;
    }
    const int64_t symbol = kFirstSymbol - dim;  // -1 when just unknown
    const bool named =
        symbol >= 0 && symbol < static_cast<int64_t>(symbols.size());
    text += named ? symbols[symbol] : "?";
  }
  return text + "]";
}

}  // namespace

std::string ToString(const ValueType& type,
                     const std::vector<std::string>& symbols) {
  std::string text = type.typed ? std::string(DTypeName(type.dtype)) : "?";
  text += DimsToString(type, symbols);
  switch (type.kind) {
    case Value::Kind::kTensor:
      return text;
    case Value::Kind::kSequence:
      return "sequence(" + text + ")";
    case Value::Kind::kOptional:
      return "optional(" + text + ")";
  }
  return text;
}

}  // namespace stint

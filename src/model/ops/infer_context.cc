#include "model/ops/infer_context.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

template <typename T>
std::vector<int64_t> Widen(const Tensor& tensor) {
  const T* data = tensor.data<T>();
  return std::vector<int64_t>(data, data + tensor.size());
}

}  // namespace

std::vector<int64_t> IntsOf(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kInt64:
      return Widen<int64_t>(tensor);
    case DType::kInt32:
      return Widen<int32_t>(tensor);
    case DType::kInt16:
      return Widen<int16_t>(tensor);
    case DType::kInt8:
      return Widen<int8_t>(tensor);
    case DType::kUInt8:
      return Widen<uint8_t>(tensor);
    case DType::kUInt16:
      return Widen<uint16_t>(tensor);
    case DType::kUInt32:
      return Widen<uint32_t>(tensor);
    case DType::kUInt64:
      return Widen<uint64_t>(tensor);
    default:
      return {};
  }
}

std::optional<std::vector<int64_t>> InferContext::Ints(int i) const {
  const Tensor* tensor = constant(i);
  if (tensor == nullptr) return std::nullopt;
  return IntsOf(*tensor);
}

bool InferContext::OutputsAreEmpty() const {
  return std::all_of(
      outputs_.begin(), outputs_.end(), [](const ValueType& type) {
        return type.IsConcrete() &&
               std::find(type.dims.begin(), type.dims.end(), 0) !=
                   type.dims.end();
      });
}

bool InferContext::Ranked(std::initializer_list<int> indices) const {
  return std::all_of(indices.begin(), indices.end(), [&](int i) {
    return has(i) && in(i).is_tensor() && in(i).typed && in(i).ranked;
  });
}

Result<int64_t> NormalizeAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis " + std::to_string(axis) +
                           " is out of range for rank " + std::to_string(rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Result<std::vector<int64_t>> NormalizeAxes(const std::vector<int64_t>& axes,
                                           int64_t rank) {
  std::vector<int64_t> normalized;
  for (int64_t axis : axes) {
    STINT_ASSIGN_OR_RETURN(axis, NormalizeAxis(axis, rank));
    if (std::find(normalized.begin(), normalized.end(), axis) !=
        normalized.end()) {
      return InvalidArgument("axis " + std::to_string(axis) +
                             " is given twice");
    }
    normalized.push_back(axis);
  }
  return normalized;
}

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t da = i + a.size() < rank ? 1 : a[i + a.size() - rank];
    const int64_t db = i + b.size() < rank ? 1 : b[i + b.size() - rank];
    if (da == db) {
      out[i] = da;
    } else if (da == 1) {
      out[i] = db;
    } else if (db == 1) {
      out[i] = da;
    } else if (IsKnown(da) && IsKnown(db)) {
      return InvalidArgument("shapes " + ToString(a) + " and " + ToString(b) +
                             " do not broadcast");
    } else {
      // An unknown size must be 1 or the known one.
      out[i] = IsKnown(da) ? da : IsKnown(db) ? db : kUnknownDim;
    }
  }
  return out;
}

int64_t ProductOf(const int64_t* begin, const int64_t* end) {
  if (!std::all_of(begin, end, IsKnown)) return kUnknownDim;
  if (std::find(begin, end, 0) != end) return 0;
  int64_t product = 1;
  for (const int64_t* dim = begin; dim != end; ++dim) {
    if (!CheckedMul(product, *dim, &product)) return kUnknownDim;
  }
  return product;
}

}  // namespace stint

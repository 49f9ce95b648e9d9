#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/movement/movement.h"

namespace stint {

Status ReadIndices(const Tensor& tensor, int64_t size, int64_t* to) {
  LoadElements<int64_t>(tensor, 0, tensor.size(), to);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t& index = to[i];
    if (index < -size || index >= size) {
      return InvalidArgument("index " + std::to_string(index) +
                             " is out of range for a dimension of " +
                             std::to_string(size));
    }
    if (index < 0) index += size;
  }
  return OkStatus();
}

Result<std::vector<int64_t>> ReadIndices(const Tensor& tensor, int64_t size) {
  std::vector<int64_t> indices(static_cast<size_t>(tensor.size()));
  STINT_RETURN_IF_ERROR(ReadIndices(tensor, size, indices.data()));
  return indices;
}

Status Eval(const Gather& op, EvalContext& ctx) {
  const Tensor& data = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, data.rank()));
  const AxisLines lines(data.shape(), axis);
  STINT_ASSIGN_OR_RETURN(const auto indices,
                         ReadIndices(ctx.in(1), lines.length));
  VisitStorage(data.dtype(), [&]<typename T>() {
    T* out = ctx.out(0).data<T>();
    for (int64_t o = 0; o < lines.outer; ++o) {
      for (int64_t index : indices) {
        std::copy_n(data.data<T>() + (o * lines.length + index) * lines.inner,
                    lines.inner, out);
        out += lines.inner;
      }
    }
  });
  return OkStatus();
}

Status Eval(const GatherElements& op, EvalContext& ctx) {
  const Tensor& data = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, data.rank()));
  const Shape& shape = ctx.in(1).shape();
  for (int64_t d = 0; d < data.rank(); ++d) {
    if (d != axis && shape[d] > data.dim(d)) {
      return InvalidArgument("indices " + ToString(shape) +
                             " reach outside of data " +
                             ToString(data.shape()));
    }
  }
  STINT_ASSIGN_OR_RETURN(const auto indices,
                         ReadIndices(ctx.in(1), data.dim(axis)));
  const std::vector<int64_t> strides = StridesOf(data.shape());
  VisitStorage(data.dtype(), [&]<typename T>() {
    std::vector<int64_t> at(shape.size(), 0);
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t offset = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        offset +=
            strides[d] * (static_cast<int64_t>(d) == axis ? indices[i] : at[d]);
      }
      ctx.out(0).data<T>()[i] = data.data<T>()[offset];
      for (size_t d = shape.size(); d-- > 0;) {
        if (++at[d] < shape[d]) break;
        at[d] = 0;
      }
    }
  });
  return OkStatus();
}

Status Eval(const GatherND& op, EvalContext& ctx) {
  const Tensor& data = ctx.in(0);
  const Tensor& tensor = ctx.in(1);
  const int64_t depth = tensor.shape().back();
  const std::vector<int64_t> indices = ElementsAs<int64_t>(tensor);
  const std::vector<int64_t> strides = StridesOf(data.shape());
  int64_t batches = 1;
  for (int64_t d = 0; d < op.batch_dims; ++d) batches *= tensor.dim(d);
  int64_t batch_size = data.size();
  int64_t block = data.size();
  for (int64_t d = 0; d < op.batch_dims + depth; ++d) {
    if (data.dim(d) == 0) return OkStatus();
    block /= data.dim(d);
    if (d < op.batch_dims) batch_size /= data.dim(d);
  }
  const int64_t tuples = depth > 0 ? tensor.size() / depth : 0;
  return VisitStorage(data.dtype(), [&]<typename T>() -> Status {
    for (int64_t t = 0; t < tuples; ++t) {
      int64_t offset = t / std::max<int64_t>(1, tuples / batches) * batch_size;
      for (int64_t j = 0; j < depth; ++j) {
        const int64_t size = data.dim(op.batch_dims + j);
        int64_t index = indices[t * depth + j];
        if (index < -size || index >= size) {
          return InvalidArgument("index " + std::to_string(index) +
                                 " is out of range for a dimension of " +
                                 std::to_string(size));
        }
        offset +=
            (index < 0 ? index + size : index) * strides[op.batch_dims + j];
      }
      std::copy_n(data.data<T>() + offset, block,
                  ctx.out(0).data<T>() + t * block);
    }
    return OkStatus();
  });
}

}  // namespace stint

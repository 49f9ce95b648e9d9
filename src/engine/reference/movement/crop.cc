#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/movement/scatter.h"

namespace stint {

Status Eval(const CenterCropPad&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  const size_t rank = x.shape().size();
  const std::vector<int64_t> strides = StridesOf(x.shape());
  // Output element o of a dimension is input element o + shift.
  std::vector<int64_t> shift(rank);
  for (size_t d = 0; d < rank; ++d) {
    const int64_t difference = x.shape()[d] - out.shape()[d];
    shift[d] = difference >= 0 ? difference / 2 : -(-difference / 2);
  }
  VisitStorage(x.dtype(), [&]<typename T>() {
    for (int64_t i = 0; i < out.size(); ++i) {
      int64_t rest = i;
      int64_t offset = 0;
      bool inside = true;
      for (size_t d = rank; d-- > 0;) {
        const int64_t at = rest % out.shape()[d] + shift[d];
        inside = inside && at >= 0 && at < x.shape()[d];
        offset += at * strides[d];
        rest /= out.shape()[d];
      }
      out.data<T>()[i] = inside ? x.data<T>()[offset] : T{};
    }
  });
  return OkStatus();
}

Status Eval(const ReverseSequence& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const std::vector<int64_t> lengths = ElementsAs<int64_t>(ctx.in(1));
  const int64_t time = x.dim(op.time_axis);
  const int64_t batch = x.dim(op.batch_axis);
  for (int64_t length : lengths) {
    if (length < 0 || length > time) {
      return InvalidArgument("length " + std::to_string(length) +
                             " of a sequence of " + std::to_string(time));
    }
  }
  const int64_t inner = time * batch > 0 ? x.size() / (time * batch) : 0;
  const auto slice = [&](int64_t b, int64_t t) {
    return (op.batch_axis == 0 ? b * time + t : t * batch + b) * inner;
  };
  VisitStorage(x.dtype(), [&]<typename T>() {
    for (int64_t b = 0; b < batch; ++b) {
      for (int64_t t = 0; t < time; ++t) {
        const int64_t from = t < lengths[b] ? lengths[b] - 1 - t : t;
        std::copy_n(x.data<T>() + slice(b, from), inner,
                    ctx.out(0).data<T>() + slice(b, t));
      }
    }
  });
  return OkStatus();
}

Status Eval(const Trilu& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int64_t rows = x.dim(x.rank() - 2);
  const int64_t columns = x.dim(x.rank() - 1);
  // Diagonals beyond the matrix are all the same.
  const int64_t k =
      ctx.has(1) ? std::clamp(ScalarAs<int64_t>(ctx.in(1)), -rows, columns) : 0;
  VisitStorage(x.dtype(), [&]<typename T>() {
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t diagonal = i % columns - i / columns % rows;
      const bool keep = op.upper ? diagonal >= k : diagonal <= k;
      ctx.out(0).data<T>()[i] = keep ? x.data<T>()[i] : T{};
    }
  });
  return OkStatus();
}

}  // namespace stint

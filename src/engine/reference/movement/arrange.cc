#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/movement/movement.h"

namespace stint {

void CopyStrided(const Tensor& in, int64_t start,
                 const std::vector<int64_t>& strides, const Shape& dims,
                 Tensor* out) {
  const size_t rank = dims.size();
  const int64_t run = rank > 0 ? dims[rank - 1] : 1;
  const int64_t step = rank > 0 ? strides[rank - 1] : 0;
  int64_t runs = run == 0 ? 0 : 1;
  for (size_t d = 0; d + 1 < rank; ++d) runs *= dims[d];
  VisitStorage(in.dtype(), [&]<typename T>() {
    std::vector<int64_t> index(rank, 0);
    T* target = out->data<T>();
    int64_t offset = start;
    for (int64_t r = 0; r < runs; ++r) {
      const T* source = in.data<T>() + offset;
      if (step == 1) {
        std::copy_n(source, run, target);
      } else {
        for (int64_t i = 0; i < run; ++i) target[i] = source[i * step];
      }
      target += run;
      for (size_t d = rank - (rank > 0); d-- > 0;) {
        offset += strides[d];
        if (++index[d] < dims[d]) break;
        offset -= strides[d] * dims[d];
        index[d] = 0;
      }
    }
  });
}

namespace {

void CopyAll(const Tensor& in, Tensor* out) {
  VisitStorage(in.dtype(), [&]<typename T>() {
    std::copy_n(in.data<T>(), in.size(), out->data<T>());
  });
}

Status CopyInput(EvalContext& ctx) {
  if (ctx.in(0).size() != ctx.out(0).size()) {
    return InvalidArgument("cannot give " + ToString(ctx.in(0).shape()) +
                           " the shape " + ToString(ctx.out(0).shape()));
  }
  CopyAll(ctx.in(0), &ctx.out(0));
  return OkStatus();
}

}  // namespace

Status Eval(const Reshape&, EvalContext& ctx) { return CopyInput(ctx); }
Status Eval(const Flatten&, EvalContext& ctx) { return CopyInput(ctx); }
Status Eval(const Squeeze&, EvalContext& ctx) { return CopyInput(ctx); }
Status Eval(const Unsqueeze&, EvalContext& ctx) { return CopyInput(ctx); }

Status Eval(const Expand&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const Shape& out = ctx.out(0).shape();
  const std::vector<int64_t> own = StridesOf(x.shape());
  std::vector<int64_t> strides(out.size(), 0);
  for (size_t i = 0; i < own.size(); ++i) {
    if (x.shape()[i] != 1) strides[out.size() - own.size() + i] = own[i];
  }
  CopyStrided(x, 0, strides, out, &ctx.out(0));
  return OkStatus();
}

Status Eval(const Shape_& op, EvalContext& ctx) {
  const auto dims = ShapeSlice(op, ctx.in(0).shape());
  std::copy(dims.begin(), dims.end(), ctx.out(0).data<int64_t>());
  return OkStatus();
}

Status Eval(const Size_&, EvalContext& ctx) {
  *ctx.out(0).data<int64_t>() = ctx.in(0).size();
  return OkStatus();
}

Status Eval(const Transpose& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const auto perm, Permutation(op, x.rank()));
  const std::vector<int64_t> own = StridesOf(x.shape());
  std::vector<int64_t> strides;
  for (int64_t axis : perm) strides.push_back(own[axis]);
  CopyStrided(x, 0, strides, ctx.out(0).shape(), &ctx.out(0));
  return OkStatus();
}

Status Eval(const Concat& op, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis,
                         NormalizeAxis(op.axis, out.rank()));
  const AxisLines whole(out.shape(), axis);
  VisitStorage(out.dtype(), [&]<typename T>() {
    int64_t at = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& part = ctx.in(i);
      const int64_t block = part.dim(axis) * whole.inner;
      for (int64_t o = 0; o < whole.outer; ++o) {
        std::copy_n(part.data<T>() + o * block, block,
                    out.data<T>() + o * whole.length * whole.inner + at);
      }
      at += block;
    }
  });
  return OkStatus();
}

Status Eval(const Split& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  STINT_ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(op.axis, x.rank()));
  const AxisLines whole(x.shape(), axis);
  VisitStorage(x.dtype(), [&]<typename T>() {
    int64_t at = 0;
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      Tensor& part = ctx.out(i);
      const int64_t block = part.dim(axis) * whole.inner;
      for (int64_t o = 0; o < whole.outer; ++o) {
        std::copy_n(x.data<T>() + o * whole.length * whole.inner + at, block,
                    part.data<T>() + o * block);
      }
      at += block;
    }
  });
  return OkStatus();
}

Status Eval(const Tile&, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  // Seen with every dimension split into (repeat, size).
  const std::vector<int64_t> repeats = ElementsAs<int64_t>(ctx.in(1));
  const std::vector<int64_t> own = StridesOf(x.shape());
  Shape dims;
  std::vector<int64_t> strides;
  for (size_t i = 0; i < own.size(); ++i) {
    dims.insert(dims.end(), {repeats[i], x.shape()[i]});
    strides.insert(strides.end(), {0, own[i]});
  }
  CopyStrided(x, 0, strides, dims, &ctx.out(0));
  return OkStatus();
}

Status Eval(const DepthToSpace& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int64_t b = op.blocksize;
  const int64_t c = x.dim(1) / (b * b);
  const int64_t h = x.dim(2);
  const int64_t w = x.dim(3);
  // Output order [n, c, h, b, w, b]; where block indices live differs by mode.
  const int64_t plane = h * w;
  const bool dcr = op.mode == "DCR";
  const std::vector<int64_t> strides = {x.dim(1) * plane,
                                        dcr ? plane : b * b * plane,
                                        w,
                                        dcr ? b * c * plane : b * plane,
                                        1,
                                        dcr ? c * plane : plane};
  CopyStrided(x, 0, strides, {x.dim(0), c, h, b, w, b}, &ctx.out(0));
  return OkStatus();
}

Status Eval(const SpaceToDepth& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int64_t b = op.blocksize;
  const int64_t c = x.dim(1);
  const int64_t h = x.dim(2);
  const int64_t w = x.dim(3);
  // Output order [n, bh, bw, c, h / b, w / b].
  CopyStrided(x, 0, {c * h * w, w, 1, h * w, b * w, b},
              {x.dim(0), b, b, c, h / b, w / b}, &ctx.out(0));
  return OkStatus();
}

}  // namespace stint

#include "engine/reference/linear/linear.h"
#include "engine/reference/map_elements.h"
#include "engine/reference/window_walk.h"

namespace stint {

Status Eval(const Conv& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const Tensor& w = ctx.in(1);
  Tensor& y = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(const Window window,
                         ConvWindow(op, x.shape(), w.shape()));
  const WindowWalk walk(window, Shape(x.shape().begin() + 2, x.shape().end()),
                        Shape(y.shape().begin() + 2, y.shape().end()));
  const int64_t channels = w.dim(1);
  const int64_t outputs_per_group = w.dim(0) / op.group;
  VisitCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    const std::vector<T> weights = ElementsAs<T>(w);
    const std::vector<T> bias =
        ctx.has(2) ? ElementsAs<T>(ctx.in(2))
                   : std::vector<T>(static_cast<size_t>(w.dim(0)), T(0));
    std::vector<T> out(static_cast<size_t>(walk.out_size()));
    for (int64_t n = 0; n < x.dim(0); ++n) {
      for (int64_t oc = 0; oc < w.dim(0); ++oc) {
        std::fill(out.begin(), out.end(), bias[oc]);
        const int64_t first = oc / outputs_per_group * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const T* image =
              in.data() + (n * x.dim(1) + first + c) * walk.in_size();
          const T* kernel =
              weights.data() + (oc * channels + c) * walk.kernel_size();
          walk.ForEach([&](int64_t o, int64_t i, int64_t k) {
            out[o] += image[i] * kernel[k];
          });
        }
        StoreElements<T>(out.data(), (n * w.dim(0) + oc) * walk.out_size(),
                         walk.out_size(), &y);
      }
    }
  });
  return OkStatus();
}

// A transposed convolution scatters: the input takes the output's place in the
// walk of the forward window.
Status Eval(const ConvTranspose& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const Tensor& w = ctx.in(1);
  Tensor& y = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(const TransposedWindow t,
                         ResolveTransposed(op, x.shape(), w.shape()));
  const WindowWalk walk(t.window, t.output,
                        Shape(x.shape().begin() + 2, x.shape().end()));
  const int64_t channels_per_group = x.dim(1) / op.group;
  const int64_t outputs_per_group = w.dim(1);
  VisitFloatCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    const std::vector<T> weights = ElementsAs<T>(w);
    std::vector<T> out(static_cast<size_t>(walk.in_size()));
    for (int64_t n = 0; n < x.dim(0); ++n) {
      for (int64_t oc = 0; oc < y.dim(1); ++oc) {
        std::fill(out.begin(), out.end(),
                  ctx.has(2) ? ElementsAs<T>(ctx.in(2))[oc] : T(0));
        const int64_t group = oc / outputs_per_group;
        for (int64_t c = 0; c < channels_per_group; ++c) {
          const int64_t ic = group * channels_per_group + c;
          const T* image = in.data() + (n * x.dim(1) + ic) * walk.out_size();
          const T* kernel = weights.data() +
                            (ic * outputs_per_group + oc % outputs_per_group) *
                                walk.kernel_size();
          walk.ForEach([&](int64_t i, int64_t o, int64_t k) {
            out[o] += image[i] * kernel[k];
          });
        }
        StoreElements<T>(out.data(), (n * y.dim(1) + oc) * walk.in_size(),
                         walk.in_size(), &y);
      }
    }
  });
  return OkStatus();
}

}  // namespace stint

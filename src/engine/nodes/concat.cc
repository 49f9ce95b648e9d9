#include <algorithm>
#include <cstring>

#include "engine/nodes/nodes.h"
#include "engine/reference/axis_lines.h"

namespace stint {
namespace {

// Threads share the output's bytes, wherever they come from.
class ConcatKernel : public NodeKernel {
 public:
  explicit ConcatKernel(int64_t axis) : axis_(axis) {}

  Status Run(EvalContext& ctx) override {
    Tensor& y = ctx.out(0);
    const AxisLines lines(y.shape(), axis_ < 0 ? axis_ + y.rank() : axis_);
    const int64_t row = lines.length * lines.inner;
    constexpr int64_t kGrain = 16 * 1024;  // floats: copying takes 2 us
    ctx.pool()->ParallelFor(lines.outer * row, kGrain,
                            [&](int64_t begin, int64_t end) {
                              Copy(ctx, lines, begin, end, y.data<float>());
                            });
    return OkStatus();
  }

 private:
  // Elements [begin, end) of the output.
  void Copy(const EvalContext& ctx, const AxisLines& lines, int64_t begin,
            int64_t end, float* y) const {
    const int64_t row = lines.length * lines.inner;
    for (int64_t o = begin / row; o * row < end; ++o) {
      int64_t at = o * row;  // where the next part of this row goes
      for (int i = 0; i < ctx.num_inputs(); ++i) {
        const Tensor& part = ctx.in(i);
        const int64_t floats = part.size() / lines.outer;
        const int64_t first = std::max(at, begin);
        const int64_t last = std::min(at + floats, end);
        if (first < last) {
          std::memcpy(y + first, part.data<float>() + o * floats + (first - at),
                      static_cast<size_t>(last - first) * sizeof(float));
        }
        at += floats;
      }
    }
  }

  const int64_t axis_;
};

}  // namespace

NodeKernelPtr Bind(const Concat& op, const InferContext& ctx,
                   const KernelSite&) {
  if (!AllFloat32(ctx)) return nullptr;
  return std::make_unique<ConcatKernel>(op.axis);
}

}  // namespace stint

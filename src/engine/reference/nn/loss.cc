#include "engine/reference/nn/loss.h"

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"

namespace stint {

Status Eval(const NegativeLogLikelihoodLoss& op, EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const AxisLines lines(in.shape(), 1);
  const std::vector<int64_t> targets = ElementsAs<int64_t>(ctx.in(1));
  for (int64_t target : targets) {
    if (target == op.ignore_index) continue;
    if (target < 0 || target >= lines.length) {
      return InvalidArgument("target " + std::to_string(target) +
                             " is not one of " + std::to_string(lines.length) +
                             " classes");
    }
  }
  VisitFloatCompute(in.dtype(), [&]<typename T>() {
    const std::vector<T> x = ElementsAs<T>(in);
    const std::vector<T> weights =
        ctx.has(2) ? ElementsAs<T>(ctx.in(2))
                   : std::vector<T>(static_cast<size_t>(lines.length), T(1));
    std::vector<T> losses(targets.size(), T(0));
    T sum = 0;
    T weight_sum = 0;
    for (size_t i = 0; i < targets.size(); ++i) {
      if (targets[i] == op.ignore_index) continue;
      const int64_t at = static_cast<int64_t>(i);
      const int64_t from =
          (at / lines.inner * lines.length + targets[i]) * lines.inner +
          at % lines.inner;
      losses[i] = -x[from] * weights[targets[i]];
      sum += losses[i];
      weight_sum += weights[targets[i]];
    }
    if (op.reduction != "none") {
      losses = {op.reduction == "mean" ? sum / weight_sum : sum};
    }
    StoreElements<T>(losses.data(), 0, ctx.out(0).size(), &ctx.out(0));
  });
  return OkStatus();
}

}  // namespace stint

#include "engine/nodes/linear/linear_parts.h"

#include <algorithm>

namespace stint {

std::optional<LinearParts> LinearPartsOf(const FusedLinear& op,
                                         const InferContext& ctx, int end) {
  LinearParts parts;
  for (int i = FusedLinear::kFirstWeight; i < end; i += 2) {
    const Tensor* w = ctx.constant(i);
    if (w == nullptr) return std::nullopt;
    const int64_t n = w->dim(op.transB ? 0 : 1);
    const Tensor* bias = ctx.has(i + 1) ? ctx.constant(i + 1) : nullptr;
    if (ctx.has(i + 1) && (bias == nullptr || bias->size() != n)) {
      return std::nullopt;
    }
    parts.k = w->dim(op.transB ? 1 : 0);
    parts.n += n;
    parts.weights.push_back(w);
    parts.biases.push_back(bias);
  }
  return parts;
}

Result<Tensor> KeepVector(const Tensor& constant) {
  if (constant.is_kept_alive()) return constant;
  return constant.Clone();
}

Result<Tensor> JoinBiases(const LinearParts& parts, bool transposed) {
  const auto& biases = parts.biases;
  if (std::count(biases.begin(), biases.end(), nullptr) ==
      static_cast<std::ptrdiff_t>(biases.size())) {
    return Tensor();
  }
  if (biases.size() == 1) return KeepVector(*biases[0]);
  STINT_ASSIGN_OR_RETURN(Tensor joined,
                         Tensor::Allocate(DType::kFloat32, {parts.n}));
  float* to = joined.data<float>();
  for (size_t i = 0; i < biases.size(); ++i) {
    if (biases[i] != nullptr) {
      std::copy_n(biases[i]->data<float>(), biases[i]->size(), to);
    }
    to += parts.weights[i]->dim(transposed ? 0 : 1);
  }
  return joined;
}

}  // namespace stint

#include <algorithm>

#include "core/tensor/element_access.h"
#include "engine/nodes/nodes.h"

namespace stint {
namespace {

// Columns that are summed side by side: their sums are 1 KB.
constexpr int64_t kColumns = 128;

// Sums or means of a float tensor seen as [outer, n, inner], over n, in double.
class ReduceKernel : public NodeKernel {
 public:
  // Axes [first, last].
  ReduceKernel(int64_t first, int64_t last, bool mean)
      : first_(first), last_(last), mean_(mean) {}

  Status Run(EvalContext& ctx) override {
    const Tensor& x = ctx.in(0);
    int64_t outer = 1, n = 1, inner = 1;
    for (int64_t d = 0; d < x.rank(); ++d) {
      (d < first_ ? outer : d <= last_ ? n : inner) *= x.dim(d);
    }
    const double factor = mean_ ? 1.0 / static_cast<double>(n) : 1.0;
    const float* from = x.data<float>();
    float* to = ctx.out(0).data<float>();
    for (int64_t o = 0; o < outer; ++o, from += n * inner, to += inner) {
      for (int64_t j = 0; j < inner; j += kColumns) {
        SumColumns(from + j, n, inner, std::min(kColumns, inner - j), factor,
                   to + j);
      }
    }
    return OkStatus();
  }

 private:
  static void SumColumns(const float* x, int64_t n, int64_t stride,
                         int64_t columns, double factor, float* y) {
    double sums[kColumns] = {};
    for (int64_t i = 0; i < n; ++i, x += stride) {
      for (int64_t j = 0; j < columns; ++j) sums[j] += x[j];
    }
    for (int64_t j = 0; j < columns; ++j) {
      y[j] = static_cast<float>(sums[j] * factor);
    }
  }

  const int64_t first_;
  const int64_t last_;
  const bool mean_;
};

}  // namespace

NodeKernelPtr Bind(const Reduce& op, const InferContext& ctx,
                   const KernelSite&) {
  const bool mean = op.kind == ReduceKind::kMean;
  if (!mean && op.kind != ReduceKind::kSum) return nullptr;
  if (!ctx.Ranked({0}) || ctx.in(0).dtype != DType::kFloat32) return nullptr;
  if (ctx.has(1) && ctx.constant(1) == nullptr) return nullptr;
  auto axes = ReduceAxes(op,
                         ctx.has(1) ? ElementsAs<int64_t>(*ctx.constant(1))
                                    : std::vector<int64_t>(),
                         ctx.in(0).rank());
  if (!axes.ok() || axes->empty()) return nullptr;
  std::sort(axes->begin(), axes->end());
  for (size_t i = 1; i < axes->size(); ++i) {
    if ((*axes)[i] != (*axes)[i - 1] + 1) return nullptr;
  }
  return std::make_unique<ReduceKernel>(axes->front(), axes->back(), mean);
}

}  // namespace stint

#pragma once
// A fused linear layer: what its kernels of every precision share.

#include <optional>
#include <vector>

#include "engine/choose/linear_choice.h"
#include "engine/nodes/nodes.h"
#include "engine/reference/fused_activation.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/norm_f32/norm_f32_table.h"

namespace stint {

// The weights of all parts side by side.
struct JoinedWeights {
  int64_t k = 0;
  int64_t n = 0;
  const float* data = nullptr;  // [k,n], or [n,k] when transposed
  int64_t stride = 0;
  bool transposed = false;
  std::vector<float> copy;  // what `data` points to when it is not a constant

  LinearQuery query() const { return {k, n, data, stride, transposed}; }
};

// Normalizes the rows of a product.
struct LinearNorm {
  RowNormF32Fn run = nullptr;  // null: rows stay as they are
  Tensor scale;                // [n]
  Tensor shift;                // [n]; empty: none
  float epsilon = 0;
};

// y = norm(act(x W + b + residual)) by whatever multiplies.
class LinearKernel : public NodeKernel {
 public:
  // Everything but how the weights are held.
  struct Layer {
    Activation act;
    int64_t k = 0;
    int64_t n = 0;
    Tensor bias;  // [n]; empty: none
    LinearNorm norm = {};
    LinearChoice choice = {};
  };

  LinearKernel(Layer layer, PackedWeights packed)
      : layer_(std::move(layer)), packed_(std::move(packed)) {}

  const PackedWeights* packed() const override { return &packed_; }
  size_t ScratchBytes(const EvalContext& ctx) const override;
  KernelChoice Explain(const EvalContext&) const override {
    return ExplainLinear(layer_.choice);
  }
  Status Run(EvalContext& ctx) override;

 protected:
  // Fills args.c and does args.done to it; args.b is not set.
  virtual Status Multiply(const GemmF32Args& args, void* scratch,
                          ThreadPool* pool) = 0;
  virtual int64_t MultiplyScratchBytes(int64_t m, int threads) const {
    (void)m;
    (void)threads;
    return 0;
  }
  const Layer& layer() const { return layer_; }
  const Tensor& part(size_t i) const { return packed_.parts[i]; }

 private:
  GemmF32Args MakeArgs(const EvalContext& ctx) const;

  const Layer layer_;
  const PackedWeights packed_;
};

// How one precision holds weights and multiplies with them.
struct LinearPrecision {
  // `packed` is of that layout, and as large as k and n want it.
  bool (*fits)(const PackedWeights& packed, int64_t k, int64_t n,
               const KernelSite& site);
  Result<PackedWeights> (*pack)(const JoinedWeights& weights,
                                const KernelSite& site, ThreadPool* pool);
  NodeKernelPtr (*make)(LinearKernel::Layer layer, PackedWeights packed,
                        const KernelSite& site);
};
extern const LinearPrecision kLinearF32;
extern const LinearPrecision kLinearBf16;
extern const LinearPrecision kLinearInt8;
// In fp32, by weights that are not 0 only.
extern const LinearPrecision kLinearSparse;

// On codes; null when the weights are of another size.
NodeKernelPtr MakeLinearCodes(LinearKernel::Layer layer, CodedWeights* weights,
                              const KernelSite& site);

}  // namespace stint

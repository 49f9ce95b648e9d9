#include "engine/nodes/linear/linear_layer.h"
#include "engine/nodes/linear/quantized_input.h"
#include "kernels/gemm_codes/gemm_codes.h"

namespace stint {
namespace {

// Weights in codes that come for the run, activations quantized row by row.
class LinearCodes : public LinearKernel {
 public:
  LinearCodes(Layer layer, CodedWeights* weights, const KernelSite& site)
      : LinearKernel(std::move(layer), {"codes", {}}),
        weights_(weights),
        kernel_(PickGemmCodes(site.isa)) {}

 protected:
  int64_t MultiplyScratchBytes(int64_t m, int threads) const override {
    return QuantizedInput(m, layer().k).scratch_at +
           GemmCodesScratchBytes(kernel_, m, layer().k, weights_->outliers(),
                                 threads);
  }

  Status Multiply(const GemmF32Args& in, void* scratch,
                  ThreadPool* pool) override {
    const QuantizeRowsArgs rows = QuantizedRows(in, scratch);
    QuantizeRows(*kernel_.products, rows, pool);
    GemmS8Args args = QuantizedProduct(in, rows, scratch);
    args.scale_b = weights_->scales().data();
    STINT_ASSIGN_OR_RETURN(const CodedMatrix matrix, weights_->Take());
    GemmCodes(kernel_, args, matrix, pool);
    weights_->Done();
    FinishGemmRows(in.done, in.m, in.n, pool);
    return OkStatus();
  }

 private:
  CodedWeights* const weights_;
  const GemmCodesKernel kernel_;
};

}  // namespace

NodeKernelPtr MakeLinearCodes(LinearKernel::Layer layer, CodedWeights* weights,
                              const KernelSite& site) {
  if (layer.k > kGemmS8MaxK || weights->n() != layer.n ||
      weights->k() != layer.k) {
    return nullptr;
  }
  return std::make_unique<LinearCodes>(std::move(layer), weights, site);
}

}  // namespace stint

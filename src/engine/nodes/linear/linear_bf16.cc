#include "engine/nodes/linear/linear_layer.h"
#include "kernels/gemm_bf16/gemm_bf16.h"

namespace stint {
namespace {

// Weights in half the bytes, everything else as in float32.
class LinearBf16 : public LinearKernel {
 public:
  LinearBf16(Layer layer, PackedWeights packed, const GemmBf16Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {}

 protected:
  int64_t MultiplyScratchBytes(int64_t m, int) const override {
    return GemmBf16ScratchBytes(kernel_, m, layer().k);
  }
  Status Multiply(const GemmF32Args& args, void* scratch,
                  ThreadPool* pool) override {
    GemmBf16(kernel_,
             {args, part(0).data<uint16_t>(), static_cast<uint16_t*>(scratch)},
             pool);
    return OkStatus();
  }

 private:
  const GemmBf16Kernel& kernel_;
};

std::string Layout(const KernelSite& site) {
  return std::string("gemm_bf16/") + PickGemmBf16(site.isa).name;
}

bool Fits(const PackedWeights& packed, int64_t k, int64_t n,
          const KernelSite& site) {
  return packed.layout == Layout(site) &&
         HasPart(packed, 0, DType::kUInt16,
                 GemmBf16PackedBytes(PickGemmBf16(site.isa), n, k) / 2);
}

Result<PackedWeights> Pack(const JoinedWeights& weights, const KernelSite& site,
                           ThreadPool* pool) {
  const GemmBf16Kernel& kernel = PickGemmBf16(site.isa);
  const int64_t bytes = GemmBf16PackedBytes(kernel, weights.n, weights.k);
  STINT_ASSIGN_OR_RETURN(Tensor panels,
                         Tensor::Allocate(DType::kUInt16, {bytes / 2}));
  GemmBf16PackB(kernel,
                {weights.data, nullptr, weights.stride, weights.transposed},
                weights.n, weights.k, panels.data<uint16_t>(), pool);
  return PackedWeights{Layout(site), {std::move(panels)}};
}

NodeKernelPtr Make(LinearKernel::Layer layer, PackedWeights packed,
                   const KernelSite& site) {
  return std::make_unique<LinearBf16>(std::move(layer), std::move(packed),
                                      PickGemmBf16(site.isa));
}

}  // namespace

const LinearPrecision kLinearBf16 = {Fits, Pack, Make};

}  // namespace stint

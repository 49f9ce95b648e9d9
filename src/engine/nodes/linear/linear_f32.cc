#include "engine/nodes/linear/linear_layer.h"

namespace stint {
namespace {

class LinearF32 : public LinearKernel {
 public:
  LinearF32(Layer layer, PackedWeights packed, const GemmF32Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {}

 protected:
  Status Multiply(const GemmF32Args& args, void*, ThreadPool* pool) override {
    GemmF32Args with_weights = args;
    with_weights.b = part(0).data<float>();
    GemmF32(kernel_, with_weights, pool);
    return OkStatus();
  }

 private:
  const GemmF32Kernel& kernel_;
};

std::string Layout(const KernelSite& site) {
  return GemmF32Layout(PickGemmF32(site.isa));
}

bool Fits(const PackedWeights& packed, int64_t k, int64_t n,
          const KernelSite& site) {
  return packed.layout == Layout(site) &&
         HasPart(packed, 0, DType::kFloat32,
                 GemmF32PackedBytes(PickGemmF32(site.isa), n, k) / 4);
}

Result<PackedWeights> Pack(const JoinedWeights& weights, const KernelSite& site,
                           ThreadPool* pool) {
  const GemmF32Kernel& kernel = PickGemmF32(site.isa);
  const int64_t bytes = GemmF32PackedBytes(kernel, weights.n, weights.k);
  STINT_ASSIGN_OR_RETURN(Tensor panels,
                         Tensor::Allocate(DType::kFloat32, {bytes / 4}));
  GemmF32PackB(kernel, {weights.data, weights.stride, weights.transposed},
               weights.n, weights.k, panels.data<float>(), pool);
  return PackedWeights{Layout(site), {std::move(panels)}};
}

NodeKernelPtr Make(LinearKernel::Layer layer, PackedWeights packed,
                   const KernelSite& site) {
  return std::make_unique<LinearF32>(std::move(layer), std::move(packed),
                                     PickGemmF32(site.isa));
}

}  // namespace

const LinearPrecision kLinearF32 = {Fits, Pack, Make};

}  // namespace stint

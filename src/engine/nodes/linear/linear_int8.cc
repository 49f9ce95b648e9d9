#include "engine/nodes/linear/linear_layer.h"
#include "engine/nodes/linear/quantized_input.h"
#include "kernels/gemm_s8/quantize_columns.h"

namespace stint {
namespace {

// Weights in int8 with a scale per output channel, activations quantized row by
// row as they come. Parts: panels, scales [n].
class LinearInt8 : public LinearKernel {
 public:
  LinearInt8(Layer layer, PackedWeights packed, const GemmS8Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {}

 protected:
  int64_t MultiplyScratchBytes(int64_t m, int) const override {
    return QuantizedInput(m, layer().k).scratch_at +
           GemmS8ScratchBytes(kernel_, m, layer().k);
  }

  Status Multiply(const GemmF32Args& in, void* scratch,
                  ThreadPool* pool) override {
    const QuantizeRowsArgs rows = QuantizedRows(in, scratch);
    GemmS8Args args = QuantizedProduct(in, rows, scratch);
    args.quantize = &rows;
    args.b = part(0).data<int8_t>();
    args.scale_b = part(1).data<float>();
    GemmS8(kernel_, args, pool);
    return OkStatus();
  }

 private:
  const GemmS8Kernel& kernel_;
};

std::string Layout(const KernelSite& site) {
  return std::string("gemm_s8/") + PickGemmS8(site.isa).name;
}

bool Fits(const PackedWeights& packed, int64_t k, int64_t n,
          const KernelSite& site) {
  return packed.layout == Layout(site) &&
         HasPart(packed, 0, DType::kInt8,
                 GemmS8PackedBytes(PickGemmS8(site.isa), n, k)) &&
         HasPart(packed, 1, DType::kFloat32, n);
}

Result<PackedWeights> Pack(const JoinedWeights& weights, const KernelSite& site,
                           ThreadPool* pool) {
  const GemmS8Kernel& kernel = PickGemmS8(site.isa);
  const int64_t n = weights.n;
  const int64_t k = weights.k;
  STINT_ASSIGN_OR_RETURN(Tensor scale, Tensor::Allocate(DType::kFloat32, {n}));
  std::vector<int8_t> codes(static_cast<size_t>(n * k));
  QuantizeColumns({.n = n,
                   .k = k,
                   .w = weights.data,
                   .ldw = weights.stride,
                   .transposed = weights.transposed,
                   .q = codes.data(),
                   .scale = scale.data<float>()});
  STINT_ASSIGN_OR_RETURN(
      Tensor panels,
      Tensor::Allocate(DType::kInt8, {GemmS8PackedBytes(kernel, n, k)}));
  GemmS8PackB(kernel, {codes.data(), weights.stride, weights.transposed}, n, k,
              panels.data<int8_t>(), pool);
  return PackedWeights{Layout(site), {std::move(panels), std::move(scale)}};
}

NodeKernelPtr Make(LinearKernel::Layer layer, PackedWeights packed,
                   const KernelSite& site) {
  return std::make_unique<LinearInt8>(std::move(layer), std::move(packed),
                                      PickGemmS8(site.isa));
}

}  // namespace

const LinearPrecision kLinearInt8 = {Fits, Pack, Make};

}  // namespace stint

#include "core/base/checked_math.h"
#include "engine/bind/fast/linear_layer.h"
#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/gemm_s8/quantize_columns.h"

namespace stint {
namespace {

// Where a run keeps its quantized input: bytes, then a scale and a zero point
// per row, then what the kernel needs.
struct QuantizedInput {
  QuantizedInput(const GemmS8Kernel& kernel, int64_t m, int64_t k)
      : row_bytes(RoundUp(k, 4)),
        scale_at(RoundUp(m * row_bytes, 64)),
        zero_at(scale_at + RoundUp(m * 4, 64)),
        scratch_at(zero_at + RoundUp(m, 64)),
        bytes(scratch_at + GemmS8ScratchBytes(kernel, m, k)) {}
  int64_t row_bytes;
  int64_t scale_at;
  int64_t zero_at;
  int64_t scratch_at;
  int64_t bytes;
};

// Weights in int8 with a scale per output channel, activations quantized row by
// row as they come. Parts: panels, scales [n].
class LinearInt8 : public LinearKernel {
 public:
  LinearInt8(Layer layer, PackedWeights packed, const GemmS8Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {}

 protected:
  int64_t MultiplyScratchBytes(int64_t m) const override {
    return QuantizedInput(kernel_, m, layer().k).bytes;
  }

  void Multiply(const GemmF32Args& in, void* scratch,
                ThreadPool* pool) override {
    const QuantizedInput place(kernel_, in.m, in.k);
    auto* codes = static_cast<uint8_t*>(scratch);
    auto* scale = reinterpret_cast<float*>(codes + place.scale_at);
    uint8_t* zero = codes + place.zero_at;
    QuantizeRows(kernel_,
                 {.m = in.m,
                  .k = in.k,
                  .x = in.a,
                  .ldx = in.lda,
                  .q = codes,
                  .ldq = place.row_bytes,
                  .scale = scale,
                  .zero = zero},
                 pool);
    GemmS8Args args;
    args.m = in.m;
    args.n = in.n;
    args.k = in.k;
    args.a = codes;
    args.lda = place.row_bytes;
    args.scale_a = scale;
    args.zero_a = zero;
    args.b = part(0).data<int8_t>();
    args.scale_b = part(1).data<float>();
    args.bias_n = in.bias_n;
    args.residual = in.residual;
    args.ldr = in.ldr;
    args.act = in.act;
    args.c = in.c;
    args.ldc = in.ldc;
    args.scratch = codes + place.scratch_at;
    GemmS8(kernel_, args, pool);
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

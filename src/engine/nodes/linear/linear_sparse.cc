#include <algorithm>
#include <cstdio>

#include "core/base/checked_math.h"
#include "engine/choose/conv_choice.h"
#include "engine/nodes/linear/linear_layer.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/layout.h"

namespace stint {
namespace {

// Multiplications that a dense product does in the time of one of SparseWork
// (conv_sparse_f32_bench, AVX-512 of Zen 4).
constexpr double kDenseWork = 0.9;
// Rows of a matrix that are multiplied at once: their planes stay in L2.
constexpr int64_t kRowsAtOnce = 128;

// A matrix [n, k] as the weights of a 1x1 convolution over `rows` pixels.
ConvF32Shape ShapeOf(int64_t k, int64_t n, int64_t rows) {
  ConvF32Shape shape;
  shape.in_channels = k;
  shape.out_channels = n;
  shape.in_w = shape.out_w = rows;
  shape.in_h = shape.out_h = 1;
  shape.kernel_h = shape.kernel_w = 1;
  return shape;
}

class LinearSparse : public LinearKernel {
 public:
  LinearSparse(Layer layer, PackedWeights packed,
               const ConvSparseF32Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {
    const int32_t* places = part(1).data<int32_t>();
    for (int64_t e = 0; e < part(1).size(); ++e) {
      offsets_.push_back(static_cast<int32_t>(places[e] * kRowsAtOnce));
    }
  }

  KernelChoice Explain(const EvalContext&) const override {
    const double all = static_cast<double>(this->layer().k * this->layer().n);
    char detail[64];
    std::snprintf(detail, sizeof(detail), "%.1f %% of blocks of %d are 0",
                  100 - 100 * static_cast<double>(part(2).size()) / all,
                  rows());
    return {kernel_.name, "default", detail};
  }

 protected:
  Status Multiply(const GemmF32Args& gemm, void* scratch,
                  ThreadPool* pool) override {
    ConvSparseF32Args args;
    args.channels_last = true;
    args.rows = rows();
    args.begin = {part(0).data<int32_t>(), static_cast<size_t>(part(0).size())};
    args.values = part(2).data<float>();
    args.bias = gemm.bias_n;
    args.act = gemm.act;
    args.offsets = offsets_.data();
    args.plan = PlanFor(pool->threads());
    args.scratch = static_cast<float*>(scratch);
    for (int64_t first = 0; first < gemm.m; first += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, gemm.m - first);
      args.shape = ShapeOf(gemm.k, gemm.n, count);
      args.x = gemm.a + first * gemm.lda;
      args.residual =
          gemm.residual ? gemm.residual + first * gemm.ldr : nullptr;
      args.y = gemm.c + first * gemm.ldc;
      ConvSparseF32(kernel_, args, pool);
    }
    FinishGemmRows(gemm.done, gemm.m, gemm.n, pool);
    return OkStatus();
  }

  int64_t MultiplyScratchBytes(int64_t, int threads) const override {
    return PlanFor(threads).scratch_bytes();
  }

 private:
  // One plane of kRowsAtOnce pixels for each input, which threads share.
  SparsePlan PlanFor(int threads) const {
    return MakeSparsePlan(kernel_.block,
                          ShapeOf(layer().k, layer().n, kRowsAtOnce),
                          SparseGather::kImage, threads);
  }
  int rows() const {
    return static_cast<int>(
        part(1).size() == 0 ? 1 : part(2).size() / part(1).size());
  }

  const ConvSparseF32Kernel& kernel_;
  std::vector<int32_t> offsets_;  // by entry
};

// [n, k], whatever way round the layer has them.
std::vector<float> ByOutput(const JoinedWeights& weights) {
  std::vector<float> w(static_cast<size_t>(weights.n * weights.k));
  for (int64_t o = 0; o < weights.n; ++o) {
    for (int64_t i = 0; i < weights.k; ++i) {
      w[o * weights.k + i] =
          weights.data[weights.transposed ? o * weights.stride + i
                                          : i * weights.stride + o];
    }
  }
  return w;
}

bool Fits(const PackedWeights& packed, int64_t k, int64_t n,
          const KernelSite& site) {
  const int rows = ParseSparseLayout(packed.layout);
  return rows > 0 && rows <= PickConvSparseF32(site.isa).block &&
         IsSparse(rows, packed.parts, ShapeOf(k, n, 1));
}

Result<PackedWeights> Pack(const JoinedWeights& weights, const KernelSite& site,
                           ThreadPool*) {
  const ConvF32Shape shape = ShapeOf(weights.k, weights.n, 1);
  const std::vector<float> w = ByOutput(weights);
  const int rows =
      CheapestSparseRows(shape, w.data(), PickConvSparseF32(site.isa).block)
          .rows;
  STINT_ASSIGN_OR_RETURN(auto parts,
                         SparseParts(PackSparse(shape, w.data(), rows)));
  return PackedWeights{SparseLayout(rows), std::move(parts)};
}

NodeKernelPtr Make(LinearKernel::Layer layer, PackedWeights packed,
                   const KernelSite& site) {
  return std::make_unique<LinearSparse>(std::move(layer), std::move(packed),
                                        PickConvSparseF32(site.isa));
}

}  // namespace

bool PrefersSparse(const JoinedWeights& weights, const KernelSite& site) {
  const int64_t block = PickConvSparseF32(site.isa).block;
  if (weights.k % block != 0 || weights.n % block != 0) return false;
  if (site.primitive.empty() &&
      !MayBeSparse({weights.data, static_cast<size_t>(weights.k * weights.n)}))
    return false;
  const ConvF32Shape shape = ShapeOf(weights.k, weights.n, 1);
  if (!ConvSparseSupports(ShapeOf(weights.k, weights.n, kRowsAtOnce)))
    return false;
  if (IsSparsePrimitive(site.primitive)) return true;
  const std::vector<float> w = ByOutput(weights);
  return CheapestSparseRows(shape, w.data(), static_cast<int>(block)).weights <
         kDenseWork * static_cast<double>(weights.k * weights.n);
}

const LinearPrecision kLinearSparse = {Fits, Pack, Make};

}  // namespace stint

#include <algorithm>
#include <cstdio>

#include "core/base/checked_math.h"
#include "engine/nodes/linear/linear_layer.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "kernels/conv_sparse_f32/layout.h"

namespace stint {
namespace {

class LinearSparse : public LinearKernel {
 public:
  LinearSparse(Layer layer, PackedWeights packed,
               const ConvSparseF32Kernel& kernel)
      : LinearKernel(std::move(layer), std::move(packed)), kernel_(kernel) {
    const int32_t* places = part(1).data<int32_t>();
    for (int64_t e = 0; e < part(1).size(); ++e) {
      offsets_.push_back(static_cast<int32_t>(places[e] * kSparseRowsAtOnce));
    }
  }

  KernelChoice Explain(const EvalContext&) const override {
    const double all = static_cast<double>(this->layer().k * this->layer().n);
    char detail[64];
    std::snprintf(detail, sizeof(detail), "%.1f %% of blocks of %d are 0",
                  100 - 100 * static_cast<double>(part(2).size()) / all,
                  rows());
    KernelChoice explained = ExplainLinear(this->layer().choice);
    explained.kernel = kernel_.name;
    explained.detail = detail;
    return explained;
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
    for (int64_t first = 0; first < gemm.m; first += kSparseRowsAtOnce) {
      const int64_t count = std::min(kSparseRowsAtOnce, gemm.m - first);
      args.shape = LinearAsConv(gemm.k, gemm.n, count);
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
  // One plane of kSparseRowsAtOnce pixels for each input, which threads share.
  SparsePlan PlanFor(int threads) const {
    return MakeSparsePlan(kernel_.block,
                          LinearAsConv(layer().k, layer().n, kSparseRowsAtOnce),
                          SparseGather::kImage, threads);
  }
  int rows() const {
    return static_cast<int>(
        part(1).size() == 0 ? 1 : part(2).size() / part(1).size());
  }

  const ConvSparseF32Kernel& kernel_;
  std::vector<int32_t> offsets_;  // by entry
};

bool Fits(const PackedWeights& packed, int64_t k, int64_t n,
          const KernelSite& site) {
  const int rows = ParseSparseLayout(packed.layout);
  return rows > 0 && rows <= PickConvSparseF32(site.isa).block &&
         IsSparse(rows, packed.parts, LinearAsConv(k, n, 1));
}

Result<PackedWeights> Pack(const JoinedWeights& weights, const KernelSite& site,
                           ThreadPool*) {
  const ConvF32Shape shape = LinearAsConv(weights.k, weights.n, 1);
  const std::vector<float> w = WeightsByOutput(weights.query());
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

const LinearPrecision kLinearSparse = {Fits, Pack, Make};

}  // namespace stint

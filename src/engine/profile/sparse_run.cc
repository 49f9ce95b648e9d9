#include "engine/profile/sparse_run.h"

#include "core/base/checked_math.h"
#include "engine/profile/timing_tensors.h"

namespace stint {
namespace {

// One block of `rows` outputs in 100 / percent has weights.
Result<SparseWeights> Thin(const ConvF32Shape& shape, const Tensor& w, int rows,
                           int percent) {
  const int64_t inputs = shape.in_channels * shape.taps();
  STINT_ASSIGN_OR_RETURN(Tensor thin, w.Clone());
  for (int64_t i = 0; i < w.size(); ++i) {
    const int64_t block = i / inputs / rows * inputs + i % inputs;
    const auto hash = static_cast<uint64_t>(block) * 0x9e3779b97f4a7c15u;
    if ((hash >> 32) % 100 >= static_cast<uint64_t>(percent)) {
      thin.data<float>()[i] = 0;
    }
  }
  return PackSparse(shape, thin.data<float>(), rows);
}

// Whether the layer is gathered so, not in another way instead.
bool Differs(const ConvF32Shape& shape, SparseGather gather, int64_t block) {
  return MakeSparsePlan(block, shape, gather, 1).gather == gather;
}

}  // namespace

Result<SparseRun> SparseRun::Make(const ConvF32Shape& shape,
                                  std::shared_ptr<const SparseWeights> weights,
                                  SparseGather gather, Isa isa, int threads) {
  SparseRun run;
  run.kernel_ = &PickConvSparseF32(isa);
  run.weights_ = std::move(weights);
  run.plan_ = MakeSparsePlan(run.kernel_->block, shape, gather, threads);
  const std::vector<int32_t> at = SparsePlaceOffsets(run.plan_, shape);
  for (int32_t place : run.weights_->place) run.offsets_.push_back(at[place]);
  STINT_ASSIGN_OR_RETURN(run.scratch_,
                         AllocateFloats(CeilDiv(run.plan_.scratch_bytes(), 4)));
  return run;
}

void SparseRun::Run(const ConvBlockedF32Args& args, bool plain_input,
                    ThreadPool* pool) {
  ConvSparseF32Args sparse;
  sparse.shape = args.shape;
  sparse.plan = plan_;
  sparse.x = args.x;
  sparse.plain_input = plain_input;
  sparse.rows = weights_->rows;
  sparse.begin = weights_->begin;
  sparse.values = weights_->values.data();
  sparse.offsets = offsets_.data();
  sparse.act = args.act;
  sparse.y = args.y;
  sparse.scratch = scratch_.data<float>();
  ConvSparseF32(*kernel_, sparse, pool);
}

Result<std::vector<NamedSparseRun>> MakeSparseRuns(const ConvF32Shape& shape,
                                                   const Tensor& w, Isa isa,
                                                   int threads) {
  std::vector<NamedSparseRun> runs;
  if (!ConvSparseSupports(shape)) return runs;
  const int64_t block = PickConvSparseF32(isa).block;
  for (int rows : kSparseRows) {
    if (rows > block) continue;
    for (int percent : kSparseShares) {
      STINT_ASSIGN_OR_RETURN(SparseWeights thin, Thin(shape, w, rows, percent));
      const auto weights =
          std::make_shared<const SparseWeights>(std::move(thin));
      for (SparseGather gather : kSparseGathers) {
        if (!Differs(shape, gather, block)) continue;
        STINT_ASSIGN_OR_RETURN(
            SparseRun run,
            SparseRun::Make(shape, weights, gather, isa, threads));
        runs.push_back(
            {SparseCostName({rows, gather}, percent), std::move(run)});
      }
    }
  }
  return runs;
}

}  // namespace stint

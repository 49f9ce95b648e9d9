#pragma once
// Sparse weights that can be timed on a layer: one share of entries, gathered
// in one way.

#include <memory>
#include <string>
#include <vector>

#include "engine/device/sparse_costs.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "stint/tensor.h"

namespace stint {

class ThreadPool;

class SparseRun {
 public:
  // `weights` are for the kernel of `isa`, `shape` is one it supports.
  static Result<SparseRun> Make(const ConvF32Shape& shape,
                                std::shared_ptr<const SparseWeights> weights,
                                SparseGather gather, Isa isa, int threads);

  // Reads all but the weights and the scratch memory from `args`.
  void Run(const ConvBlockedF32Args& args, bool plain_input, ThreadPool* pool);

  const SparseWeights* weights() const { return weights_.get(); }

 private:
  const ConvSparseF32Kernel* kernel_ = nullptr;
  std::shared_ptr<const SparseWeights> weights_;
  SparsePlan plan_;
  std::vector<int32_t> offsets_;
  Tensor scratch_;
};

// The form and percentage that a run stands for.
struct NamedSparseRun {
  std::string name;  // as SparseCostName
  SparseRun run;
};

// Every form that differs on the layer, at the shares of kSparseShares. Which
// of the weights `w` stay is picked by a hash.
Result<std::vector<NamedSparseRun>> MakeSparseRuns(const ConvF32Shape& shape,
                                                   const Tensor& w, Isa isa,
                                                   int threads);

}  // namespace stint

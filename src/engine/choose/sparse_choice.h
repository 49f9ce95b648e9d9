#pragma once
// Whether a layer in fp32 skips weights that are 0, and why.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "engine/choose/choice_reason.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"

namespace stint {

// What decided between sparse and dense kernels.
enum class SparseRule {
  kNoForm,         // grouped, or of sizes that sparse kernels do not take
  kGated,          // weights are multiplied by a gate in each run
  kOtherAskedFor,  // another primitive is forced
  kPackedDense,    // only weights packed for dense kernels are there
  kFewZeros,       // a sample of the weights has too few
  kMeasured,       // times of this layer
  kWork,           // numbers of multiplications
  kAskedFor,       // a sparse primitive is forced
  kPacked,         // the file's weights are packed for sparse kernels
};

struct SparseChoice {
  int rows = 0;  // outputs that share an entry; 0: a dense kernel runs
  ConvReason reason = ConvReason::kDefault;
  std::optional<SparseGather> gather = {};  // nothing: as the shape has it
  SparseRule rule = SparseRule::kNoForm;
  // What was compared; 0: not known. Microseconds with kMeasured, with kWork
  // multiplications.
  double sparse_cost = 0;
  double dense_cost = 0;
};

// A convolution on blocked images. `w` is null where there are only packed
// weights, and those are not sparse.
struct SparseQuery {
  ConvF32Shape weights;                // sizes of the weights alone
  std::optional<ConvF32Shape> images;  // with those of one image, where known
  ImageLayout input = ImageLayout::kBlocked;
  const float* w = nullptr;
};
SparseChoice ChooseSparse(const SparseQuery& query, const KernelSite& site);

// For weights that are packed by `rows` with that share (0 to 1) of their
// blocks not 0.
SparseChoice ChoosePackedSparse(const SparseQuery& query, int rows,
                                double share, const KernelSite& site);

// Whether the site lets layers in fp32 be sparse.
bool AllowsSparse(const KernelSite& site);

// The sparse kernel as a candidate for a layer that chose so.
KernelCandidate SparseCandidate(const SparseChoice& choice, Isa isa);
// Why no dense kernel runs a layer that is sparse.
std::string WhySparse(const SparseChoice& choice);

}  // namespace stint

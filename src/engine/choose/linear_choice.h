#pragma once
// How a linear layer holds its weights and which kernel multiplies them, and
// why.

#include <cstdint>
#include <vector>

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "engine/choose/sparse_choice.h"

namespace stint {

enum class LinearForm {
  kFloat32,
  kBFloat16,
  kInt8,
  kSparse,  // float32 without weights that are 0
  kCodes,   // bit planes that come with the run
};

// The weights of a layer: [k,n], or [n,k] when transposed.
struct LinearQuery {
  int64_t k = 0;
  int64_t n = 0;
  const float* w = nullptr;
  int64_t stride = 0;
  bool transposed = false;
};
// Rows of a matrix that sparse weights multiply at once: their planes stay in
// L2.
inline constexpr int64_t kSparseRowsAtOnce = 128;
// A matrix [n,k] as the weights of a convolution of 1x1 over `rows` pixels.
ConvF32Shape LinearAsConv(int64_t k, int64_t n, int64_t rows);
// [n,k], whatever way round the layer has them.
std::vector<float> WeightsByOutput(const LinearQuery& query);

struct LinearChoice {
  LinearForm form = LinearForm::kFloat32;
  Isa isa = Isa::kBaseline;
  Precision precision = Precision::kFloat32;  // that was asked for
  SparseChoice sparse = {};
  bool packed = false;  // the weights are packed so already
};

// The forms whose packed weights a layer of `k` inputs may take as they are,
// best first.
std::vector<LinearForm> PackedLinearForms(int64_t k, const KernelSite& site);

// For weights that are not packed. The form is never kCodes.
LinearChoice ChooseLinear(const LinearQuery& query, const KernelSite& site);

// For weights that are packed in this form, or come in it.
LinearChoice GivenLinear(LinearForm form, const KernelSite& site);

KernelChoice ExplainLinear(const LinearChoice& choice);

// A product in fp32 that has one kernel per instruction set.
KernelChoice ExplainProduct(Isa isa);

}  // namespace stint

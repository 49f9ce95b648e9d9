#pragma once
// Numbers for kernels that are timed and whose answers nobody reads.

#include <algorithm>
#include <cstdint>

#include "core/base/random.h"
#include "stint/tensor.h"

namespace stint {

// At least one, not initialized.
inline Result<Tensor> AllocateFloats(int64_t count) {
  return Tensor::Allocate(DType::kFloat32, {std::max<int64_t>(count, 1)});
}

// Uniform in [-1, 1).
inline Result<Tensor> UniformFloats(int64_t count, uint64_t seed) {
  STINT_ASSIGN_OR_RETURN(Tensor tensor, AllocateFloats(count));
  Random random(seed);
  for (int64_t i = 0; i < count; ++i) {
    tensor.data<float>()[i] = static_cast<float>(random.NextDouble() * 2 - 1);
  }
  return tensor;
}

}  // namespace stint

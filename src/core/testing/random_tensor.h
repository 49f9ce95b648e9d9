#pragma once
// Tensors of seeded numbers for tests.

#include <cstdint>
#include <utility>

#include "core/base/random.h"
#include "stint/tensor.h"

namespace stint {

// Evenly spread over [-scale / 2, scale / 2).
inline Tensor RandomTensor(Shape shape, uint64_t seed, double scale = 1) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
  Random random(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] =
        static_cast<float>((random.NextDouble() - 0.5) * scale);
  }
  return tensor;
}

}  // namespace stint

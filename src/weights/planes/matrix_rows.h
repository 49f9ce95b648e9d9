#pragma once
// Weights of any layout, read as rows of a matrix [outputs, inputs].

#include <cstdint>
#include <span>

#include "core/base/function_ref.h"

namespace stint {

// What lies side by side in a matrix [inputs, outputs] fills a cache line.
inline constexpr int64_t kRowsAtOnce = 16;

struct MatrixRows {
  int64_t outputs = 0;
  int64_t inputs = 0;
  // Writes all inputs of the outputs from `first` on, as many as fit into `to`.
  // Called from several threads, for kRowsAtOnce outputs or fewer.
  FunctionRef<void(int64_t first, std::span<float> to)> copy;
};

}  // namespace stint

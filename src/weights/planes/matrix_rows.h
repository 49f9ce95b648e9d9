#pragma once
// Weights of any layout, read as rows of a matrix [outputs, inputs].

#include <cstdint>

#include "core/base/function_ref.h"

namespace stint {

struct MatrixRows {
  int64_t outputs = 0;
  int64_t inputs = 0;
  // Writes all inputs of an output. Called from several threads.
  FunctionRef<void(int64_t output, float* row)> copy;
};

}  // namespace stint

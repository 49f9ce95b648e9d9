#pragma once
// Weights that come nearest, in the sense of least squares, to what a layer
// should give: conjugate gradients on its normal equations.

#include <cstdint>
#include <vector>

#include "convert/compress/repair/normal_equations.h"

namespace stint {

struct FitOptions {
  // Steps; few leave the weights near where they start, which keeps directions
  // that the data hardly shows as they are. 30 give what solving the equations
  // gives on CIFAR-10 ResNet-20, 10 half a point less.
  int steps = 30;
  // Of the mean square of terms: what moving away from the start costs.
  float ridge = 1e-4f;
};

// `weights` [outputs, terms], the bias last in each row: where to start, and
// the result. Those marked in `fixed`, of the same shape, stay as they are;
// empty: none.
void FitWeights(const NormalEquations& equations, const FitOptions& options,
                const std::vector<bool>& fixed, ThreadPool* pool,
                std::vector<float>* weights);

}  // namespace stint

#pragma once
// Turns a matrix of float32 weights into nested codes.

#include <vector>

#include "core/platform/thread_pool.h"
#include "stint/status.h"
#include "weights/planes/matrix_rows.h"
#include "weights/planes/plane_matrix.h"

namespace stint {

struct QuantizeOptions {
  PlaneCut cut = PlaneCut::kOutputs;
  // Block i has the outputs (or inputs) bounds[i] to bounds[i + 1]; none when
  // these are equal. From 0 to their number.
  std::vector<int64_t> bounds;
  int bits = kPlaneMaxBits;  // highest fidelity
};

// The same for any number of threads. kInvalidArgument for weights that are not
// finite.
Result<PlaneMatrix> QuantizeMatrix(const MatrixRows& rows,
                                   const QuantizeOptions& options,
                                   ThreadPool* pool);

}  // namespace stint

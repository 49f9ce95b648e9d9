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
  // Where blocks begin along the cut, rising from 0.
  std::vector<int64_t> begins = {0};
  int bits = kPlaneMaxBits;  // highest fidelity
};

// The same for any number of threads. kInvalidArgument for weights that are not
// finite.
Result<PlaneMatrix> QuantizeMatrix(const MatrixRows& rows,
                                   const QuantizeOptions& options,
                                   ThreadPool* pool);

}  // namespace stint

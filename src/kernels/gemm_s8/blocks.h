#pragma once
// How an int8 product is cut into blocks for a micro-kernel; shared with
// products whose weights are decoded on the way.

#include <cstdint>

#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/geometry/blocking.h"

namespace stint {

// Bytes of one packed panel.
int64_t GemmS8PanelBytes(const GemmS8Kernel& kernel, int64_t k);

// Rows of A in a block, which stays in L2 beside two panels of B.
int64_t GemmS8BlockRows(const GemmS8Kernel& kernel, int64_t rows, int64_t k);

// Whether the product is worth the threads of `pool`, which may be null.
bool GemmS8Pays(const GemmS8Kernel& kernel, const GemmS8Args& args,
                ThreadPool* pool);

// The rows of `range`.
QuantizeRowsArgs RowsOf(const QuantizeRowsArgs& args, const GemmRange& range);

// Makes rows of A ready to multiply: quantizes them if that is asked for, and
// brings them into the scratch of kernels with `a_tiles`. The range begins at a
// multiple of 16.
void TakeGemmS8Rows(const GemmS8Kernel& kernel, const GemmS8Args& args,
                    const GemmRange& range);

// The same for all rows. `pool` may be null.
void TakeGemmS8Rows(const GemmS8Kernel& kernel, const GemmS8Args& args,
                    ThreadPool* pool);

// All of a block that begins at row i and column j but its size, what it reads
// of B, and the tile shape.
GemmS8Block GemmS8BlockAt(const GemmS8Kernel& kernel, const GemmS8Args& args,
                          int64_t i, int64_t j);

}  // namespace stint

#pragma once
// The GEMM micro-kernels with weights in bf16, best first, and what each is
// handed. Each row has its own layout of a panel, and its own function to pack.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

struct GemmBf16Tiles;

// `cols` columns of B to be packed: element [p, j] is at p * step_k + j *
// step_n of either fp32 or bf16 weights, the other is null.
struct GemmBf16Columns {
  const float* f32;
  const uint16_t* bf16;
  int64_t step_k;
  int64_t step_n;
  int64_t cols;  // <= tile_n; the others become 0
  int64_t k;
};

// Up to 16 rows of A to be rounded into tiles.
struct GemmBf16Rows {
  const float* a;
  int64_t lda;
  int64_t m;
  int64_t k;
};

struct GemmBf16Block {
  GemmF32Block f32;   // all but B
  const uint16_t* b;  // the panel, from a multiple of step_k
  const uint16_t*
      b_next;  // multiplied next, fetched into L2 meanwhile; or null
  // Where the row has pack_a, what that wrote, from a multiple of step_k, and
  // the elements between groups of 16 rows.
  const uint16_t* a = nullptr;
  int64_t a_row_tile = 0;
  GemmBf16Tiles* tiles = nullptr;  // of this thread
};

struct GemmBf16Kernel {
  const char* name;
  Isa isa;
  int tile_m;
  int tile_n;
  int step_k;  // panels have RoundUp(k, step_k) * tile_n elements
  void (*pack)(const GemmBf16Columns& columns, uint16_t* panel);
  void (*run)(const GemmBf16Block& block);
  // Rows that multiply bf16 by bf16 round A as well: 16 rows at a time into
  // 16 * RoundUp(k, step_k) elements. Null: A is read as it is.
  void (*pack_a)(const GemmBf16Rows& rows, uint16_t* tiles) = nullptr;
  // Ends a thread's use of tile registers, and only then all of C is there;
  // null where there is none.
  void (*release)(GemmBf16Tiles* tiles) = nullptr;
};

std::span<const GemmBf16Kernel> GemmBf16Table();

// The best row that runs on a machine of level `cap`.
const GemmBf16Kernel& PickGemmBf16(Isa cap);

}  // namespace stint

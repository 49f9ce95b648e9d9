#pragma once
// The int8 GEMM micro-kernels, best first, and what each is handed: a block of
// rows of A times one panel of B.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/simd/activation.h"

namespace stint {

struct GemmS8Tiles;

// q = clamp(round(x / scale) + zero) within 0..255, or -128..127 when signed;
// ties round to even.
struct Requantization {
  float scale = 1;
  int zero = 0;
  bool is_signed = false;
};

struct GemmS8Block {
  // [m,k]; rows are readable up to a multiple of 4 bytes. Where the row of the
  // table has `a_tiles`: tiles of 16 rows by 64 bytes, those of one group of 16
  // rows after the other, `lda` bytes per row all the same.
  const uint8_t* a;
  int64_t lda;
  const int8_t* b;       // one packed panel
  const int8_t* b_next;  // needed next, fetched into L2 meanwhile; or null
  int64_t b_next_bytes;
  const int32_t* sums;  // [tile_n], sums of the panel's columns
  int64_t m;
  int64_t n;              // <= tile_n
  int64_t groups;         // steps of 4 along k
  const float* scale_a;   // [m], or [1] when row_step is 0
  const uint8_t* zero_a;  // likewise
  int64_t row_step;
  const float* scale_b;             // [n]
  const float* bias_n = nullptr;    // [n] or null
  const float* residual = nullptr;  // [m,n] or null, added before `act`
  int64_t ldr = 0;
  Activation act = {};
  float* c = nullptr;     // [m,n], or null when results are stored in c8
  uint8_t* c8 = nullptr;  // [m,n], bytes of `out`
  int64_t ldc = 0;        // elements between rows of c or c8
  Requantization out = {};
  GemmS8Tiles* tiles = nullptr;  // of this thread
};

enum class RowQuantization {
  kAsymmetric,  // the range of the row, widened to hold 0, becomes 0..255
  kSymmetric,   // -max|x|..max|x| becomes 1..255, zero is 128
};

// q[i,j] = round(x[i,j] / scale[i]) + zero[i], ties to even; NaN gives any q.
struct QuantizeRowsArgs {
  int64_t m = 0;
  int64_t k = 0;
  const float* x = nullptr;  // [m,k]
  int64_t ldx = 0;
  uint8_t* q = nullptr;  // [m,k]; bytes k..ldq of a row become 0
  int64_t ldq = 0;
  float* scale = nullptr;   // [m], 0 for a row of zeros
  uint8_t* zero = nullptr;  // [m]
  RowQuantization mode = RowQuantization::kAsymmetric;
  // Not 0: bytes from 64 * j on of a row lie j * piece_stride after its first,
  // and the last 64 are filled up with 0.
  int64_t piece_stride = 0;
};

struct GemmS8Kernel {
  const char* name;
  Isa isa;
  int tile_m;
  int tile_n;
  void (*run)(const GemmS8Block& block);
  void (*quantize)(const QuantizeRowsArgs& args);
  // Panels are padded to a multiple of step_k; within step_k, strips of
  // `strip_n` columns lie one after the other.
  int step_k = 4;
  int strip_n = tile_n;
  bool a_tiles = false;  // A is copied into tiles first
  // Ends a thread's use of tile registers; null where there is none. Until
  // then, the last block's results may be missing, and what it reads other than
  // A, B and `sums` must stay.
  void (*release)(GemmS8Tiles* tiles) = nullptr;
};

std::span<const GemmS8Kernel> GemmS8Table();

// The best row that runs on a machine of level `cap`.
const GemmS8Kernel& PickGemmS8(Isa cap);

}  // namespace stint

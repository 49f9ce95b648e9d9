#pragma once
// What outliers add to a block of results, as the residual that the product of
// the codes then takes: R[i,o] + scale_a[i] * sum (A[i,input] - zero_a[i]) *
// value.

#include <cstdint>

#include "kernels/gemm_codes/coded_matrix.h"

namespace stint {

// Which inputs have outliers. Only those columns of A are kept, one after the
// other.
struct UsedInputs {
  uint64_t* used;  // [k / 64 rounded up], a bit for each input
  int32_t* rank;   // [k / 64 rounded up], inputs used before those of a word

  int64_t Column(int64_t input) const {
    const uint64_t below = used[input / 64] & ((1ull << input % 64) - 1);
    return rank[input / 64] + __builtin_popcountll(below);
  }
};

// Fills in what `inputs` points at.
void FindUsedInputs(std::span<const CodedOutlier> outliers, int64_t k,
                    const UsedInputs& inputs);

// The used among the columns of A [m,k] that words [begin, end) stand for:
// `columns_pitch` bytes each, a multiple of 16, 0 past the last row of A.
struct RowColumns {
  const uint8_t* a;
  int64_t lda;
  int64_t m;
  int64_t k;
  UsedInputs inputs;
  int64_t begin;
  int64_t end;
  uint8_t* columns;
  int64_t columns_pitch;
};

// Most rows of a block: they bound its memory.
inline constexpr int64_t kOutlierRows = 128;

struct OutlierBlock {
  const uint8_t* a;  // from the block's first row on
  int64_t lda;
  UsedInputs inputs;
  const uint8_t* columns;  // of A, likewise
  int64_t columns_pitch;   // rows are readable up to a multiple of 16
  const float* zeros;      // [rows], likewise, as are the scales
  const float* scales;     // [rows]
  int64_t rows;            // <= kOutlierRows
  std::span<const CodedOutlier> outliers;  // of these outputs, in their order
  int64_t output;                          // first
  int64_t outputs;
  const float* residual;  // [rows, outputs] or null
  int64_t ldr;
  float* to;  // [rows, outputs]
  int64_t ldt;
};

// By rows of A as it is; columns are not read.
void AddOutliersByRow(const OutlierBlock& block);

// Outliers of one range of outputs after the other.
class OutlierCursor {
 public:
  // From output `first` on.
  OutlierCursor(std::span<const CodedOutlier> outliers, int64_t first);
  // Those of the outputs before `end` that have not been returned.
  std::span<const CodedOutlier> Until(int64_t end);

 private:
  std::span<const CodedOutlier> left_;
};

}  // namespace stint

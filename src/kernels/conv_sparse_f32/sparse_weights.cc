#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"

namespace stint {
namespace {

// In multiplications of a block of outputs. A row of its own loads what it
// multiplies, mostly across cache lines; blocks load it once for all their
// outputs (conv_sparse_f32_bench, 64 channels at 56 x 56 on Zen 4: 2.5 cycles a
// vector, in blocks of 4 and 8 1.2 to 1.3).
constexpr double kCostOfRow = 2.0;
constexpr double kCostOfEntry = 1.0;

bool AnyInBlock(const float* w, int64_t inputs, int64_t begin, int64_t end,
                int64_t place) {
  for (int64_t o = begin; o < end; ++o) {
    if (w[o * inputs + place] != 0) return true;
  }
  return false;
}

int64_t CountEntries(const ConvF32Shape& shape, const float* w, int rows) {
  const int64_t inputs = shape.in_channels * shape.taps();
  int64_t entries = 0;
  for (int64_t o = 0; o < shape.out_channels; o += rows) {
    const int64_t end = std::min(o + rows, shape.out_channels);
    for (int64_t p = 0; p < inputs; ++p) {
      entries += AnyInBlock(w, inputs, o, end, p);
    }
  }
  return entries;
}

}  // namespace

bool MayBeSparse(std::span<const float> w) {
  constexpr size_t kSamples = 4096;
  constexpr size_t kLeast = 8;                  // one zero in so many
  const size_t step = w.size() / kSamples | 1;  // odd: not along one column
  size_t samples = 0;
  size_t zeros = 0;
  for (size_t i = 0; i < w.size(); i += step, ++samples) zeros += w[i] == 0;
  return zeros * kLeast >= samples;
}

double SparseShare(const ConvF32Shape& shape, const float* w, int rows) {
  const int64_t blocks =
      CeilDiv(shape.out_channels, rows) * shape.in_channels * shape.taps();
  return static_cast<double>(CountEntries(shape, w, rows)) /
         static_cast<double>(std::max<int64_t>(blocks, 1));
}

SparseWeights PackSparse(const ConvF32Shape& shape, const float* w, int rows) {
  SparseWeights packed;
  packed.rows = rows;
  const int64_t inputs = shape.in_channels * shape.taps();
  for (int64_t o = 0; o < shape.out_channels; o += rows) {
    packed.begin.push_back(static_cast<int32_t>(packed.place.size()));
    const int64_t end = std::min(o + rows, shape.out_channels);
    for (int64_t p = 0; p < inputs; ++p) {
      if (!AnyInBlock(w, inputs, o, end, p)) continue;
      packed.place.push_back(static_cast<int32_t>(p));
      for (int64_t r = o; r < o + rows; ++r) {
        packed.values.push_back(r < end ? w[r * inputs + p] : 0.0f);
      }
    }
  }
  packed.begin.push_back(static_cast<int32_t>(packed.place.size()));
  return packed;
}

SparseWork CheapestSparseRows(const ConvF32Shape& shape, const float* w,
                              int most) {
  SparseWork best;
  for (int rows : kSparseRows) {
    if (rows > most) break;
    const double work =
        static_cast<double>(CountEntries(shape, w, rows)) *
        (rows == 1 ? kCostOfRow : kCostOfEntry + static_cast<double>(rows));
    if (rows == 1 || work < best.weights) best = {rows, work};
  }
  return best;
}

bool ConvSparseSupports(const ConvF32Shape& shape) {
  // Offsets are of 32 bits.
  const int64_t reach = (shape.in_h + shape.pad_top + shape.kernel_h) *
                        (shape.in_w + shape.pad_left + shape.kernel_w);
  return shape.groups == 1 &&
         shape.in_channels * shape.taps() < (int64_t{1} << 30) &&
         shape.in_channels * reach * 4 < (int64_t{1} << 30) &&
         shape.out_channels * shape.in_channels * shape.taps() <
             (int64_t{1} << 30);
}

}  // namespace stint

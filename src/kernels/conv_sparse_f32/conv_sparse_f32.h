#pragma once
// 2-D convolution in fp32 by weights most of which are 0, on channel-blocked
// images: y = act(bias + residual + sum over the weights that are not 0).
// Pixels are gathered so that a weight reads a contiguous row of them
// (SparseGather: three ways); vectors go over pixels, so that each weight is
// skipped or not by itself. Blocks of outputs that are 0 together share what
// they read.

#include <cstdint>
#include <span>
#include <vector>

#include "core/platform/cpu_info.h"
#include "kernels/conv_sparse_f32/sparse_plan.h"
#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

class ThreadPool;

// Outputs that share an entry. 1 is the compressed sparse row form.
inline constexpr int kSparseRows[] = {1, 4, 8, 16};

// Weights by blocks of `rows` outputs. Entries of block b are
// [begin[b], begin[b + 1]); entry e is input channel * taps + tap place[e], and
// has `rows` numbers at values + e * rows (0 past the last output).
struct SparseWeights {
  int rows = 1;
  std::vector<int32_t> begin;  // one per block, and the end
  std::vector<int32_t> place;
  std::vector<float> values;
};

// `w` is [out_channels, in_channels, kernel_h, kernel_w].
SparseWeights PackSparse(const ConvF32Shape& shape, const float* w, int rows);

// The share (0 to 1) of blocks of `rows` outputs at one place that are not all
// 0.
double SparseShare(const ConvF32Shape& shape, const float* w, int rows);

// Whether a few thousand weights, spread over all, have enough zeros to look
// closer: counting all of a dense network would take longer than packing it.
bool MayBeSparse(std::span<const float> w);

// Of kSparseRows up to `most`, those by which these weights are least work, and
// that work: multiplications by a weight, entries' own costs counted in.
struct SparseWork {
  int rows = 1;
  double weights = 0;
};
SparseWork CheapestSparseRows(const ConvF32Shape& shape, const float* w,
                              int most);

// One group; any window.
bool ConvSparseSupports(const ConvF32Shape& shape);

struct ConvSparseF32Args {
  ConvF32Shape shape;
  // For the kernel's block, this shape (or an image of one row with no fewer
  // columns, if this one has one row), and no fewer threads than run it.
  SparsePlan plan;
  // Blocked like y, or plain [batch, in_channels, in_h, in_w].
  const float* x = nullptr;
  bool plain_input = false;
  // x, y and residual are [batch, h, w, channels] instead; both numbers of
  // channels are multiples of the kernel's block. Matrices are such images.
  bool channels_last = false;
  int rows = 1;  // as of SparseWeights, at most the kernel's block
  std::span<const int32_t> begin;    //
  const float* values = nullptr;     //
  const int32_t* offsets = nullptr;  // SparsePlaceOffsets of each entry
  const float* bias = nullptr;       // zeros up to a block, or null
  const float* residual = nullptr;   // like y, added before act; or null
  Activation act = {};
  float* y = nullptr;        // [batch, out blocks, out_h, out_w, block]
  float* scratch = nullptr;  // plan.scratch_bytes(), 64-byte aligned
};

struct SparseLoops;

struct ConvSparseF32Kernel {
  const char* name;
  Isa isa;
  int block;  // channels per block of y
  const SparseLoops* loops;
};

// Best first.
std::span<const ConvSparseF32Kernel> ConvSparseF32Table();
const ConvSparseF32Kernel& PickConvSparseF32(Isa cap);

void ConvSparseF32(const ConvSparseF32Kernel& kernel,
                   const ConvSparseF32Args& args, ThreadPool* pool);

}  // namespace stint

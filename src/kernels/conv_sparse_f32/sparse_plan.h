#pragma once
// How a sparse convolution gathers what its entries read, and how it cuts a
// layer: bands of output rows, tasks, scratch memory.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/conv_sparse_f32/planes.h"
#include "kernels/geometry/conv_shape.h"

namespace stint {

// Where an entry finds a contiguous row of pixels for its output. All give the
// same numbers bit for bit.
enum class SparseGather {
  kImage,    // planes of the whole image, for all threads: the direct form
  kColumns,  // a matrix [in_channels * taps, pixels] of a band of output rows
  kBand,     // planes of the rows that a band reads
};
inline constexpr SparseGather kSparseGathers[] = {
    SparseGather::kImage, SparseGather::kColumns, SparseGather::kBand};

// As a primitive: "sparse", "sparse_im2col", "sparse_spatial".
std::string_view SparseGatherName(SparseGather gather);
// Nothing when `name` is none of them.
std::optional<SparseGather> SparseGatherNamed(std::string_view name);

// A band of output rows of one image.
struct SparseBand {
  int64_t image;
  int64_t row;
  int64_t rows;
};

// Scratch memory: what is gathered if threads share it, then for each thread
// sums, planes that columns are made of, and what it gathers for itself.
struct SparsePlan {
  SparseGather gather = SparseGather::kImage;
  int threads = 1;
  // Threads gather together and share it; else each its own bands.
  bool shared = true;
  int64_t block = 0;  // channels
  int64_t in_blocks = 0;
  int64_t out_blocks = 0;
  // Of the image, or of a band and, for columns, of one block of channels.
  SparsePlanes planes;
  int64_t column = 0;    // floats from place to place of columns
  int64_t band = 0;      // rows of outputs
  int64_t bands = 0;     // of an image
  int64_t row = 0;       // floats from row to row of pixels and of sums
  int64_t pitch = 0;     // floats of the sums of a band
  int64_t gathered = 0;  // floats of what is gathered at once
  int64_t split = 0;     // floats of the planes that columns are made of

  int64_t thread_floats() const {
    return block * pitch + split + (shared ? 0 : gathered);
  }
  int64_t scratch_bytes() const;
};

// The one to take where nothing was measured; `block` is the kernel's.
SparseGather DefaultSparseGather(int64_t block, const ConvF32Shape& shape);

// `block` is the kernel's. Instead of columns the plan may have planes of a
// band: those of a 1x1 kernel are its columns, and rows may be too long for a
// matrix.
SparsePlan MakeSparsePlan(int64_t block, const ConvF32Shape& shape,
                          SparseGather gather, int threads);

// Where entries read: for each place (input channel * taps + tap) its offset in
// floats from the pixel that an output starts at.
std::vector<int32_t> SparsePlaceOffsets(const SparsePlan& plan,
                                        const ConvF32Shape& shape);

}  // namespace stint

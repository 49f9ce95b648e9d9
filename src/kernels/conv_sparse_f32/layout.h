#pragma once
// Sparse weights as tensors of a file: begin [blocks + 1] and place [entries]
// in int32, values [entries * rows] in float32.

#include <string>
#include <string_view>

#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "stint/tensor.h"

namespace stint {

std::string SparseLayout(int rows);  // "conv_sparse_f32/rows4"
// 0 when the layout is another.
int ParseSparseLayout(std::string_view layout);

Result<std::vector<Tensor>> SparseParts(const SparseWeights& weights);

// Parts are what PackSparse makes for weights of this shape: sizes fit, blocks
// follow each other, places exist.
bool IsSparse(int rows, std::span<const Tensor> parts,
              const ConvF32Shape& shape);

// `parts` are valid; `w` is [out_channels, in_channels, kernel_h, kernel_w].
void UnpackSparse(int rows, std::span<const Tensor> parts,
                  const ConvF32Shape& shape, float* w);

}  // namespace stint

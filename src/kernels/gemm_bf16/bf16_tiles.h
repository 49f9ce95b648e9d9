#pragma once
// The tiles that the AMX kernel multiplies: their sizes, and what a thread
// keeps of them between blocks.

#include <cstdint>

#include "kernels/gemm_f32/gemm_f32_table.h"
#include "kernels/simd/tile_product.h"

namespace stint {

inline constexpr int kBf16TileColumns = 32;
inline constexpr int64_t kBf16TileK = TileStepK(TileDot::kBf16);
inline constexpr int64_t kBf16TileElements = 512;

struct GemmBf16Tiles : TileQueue<GemmF32Block, float> {};

}  // namespace stint

#pragma once
// Sizes of the tiles that the AMX kernel multiplies.

#include <cstdint>

#include "kernels/simd/tile_product.h"

namespace stint {

inline constexpr int kBf16TileColumns = 32;
inline constexpr int64_t kBf16TileK = TileStepK(TileDot::kBf16);
inline constexpr int64_t kBf16TileElements = 512;

}  // namespace stint

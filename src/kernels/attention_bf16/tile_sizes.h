#pragma once
// What one pass over the tile registers takes: two row tiles of queries by two
// column tiles of keys.

namespace stint {

inline constexpr int kAttentionTileRows = 32;
inline constexpr int kAttentionTileKeys = 32;

}  // namespace stint

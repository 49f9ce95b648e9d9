#pragma once
// Register tiles and thread grids that can be worth a trial.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/checked_math.h"

namespace stint {

// Widths up to `most` that cut `width` pixels into equal tiles, the last one at
// most a little shorter: only the narrowest for each number of tiles.
inline std::vector<int> TileWidths(int64_t width, int64_t most) {
  std::vector<int> widths;
  const int64_t fewest = CeilDiv(width, std::max<int64_t>(1, most));
  for (int64_t tiles = fewest; tiles <= width && most > 0; ++tiles) {
    const int64_t pixels = CeilDiv(width, tiles);
    if (pixels > most) continue;
    if (!widths.empty() && widths.back() == pixels) continue;
    widths.push_back(static_cast<int>(pixels));
    if (pixels == 1) break;
  }
  // A long row takes any width: the last tile hardly counts.
  if (width >= 8 * most) {
    widths.clear();
    for (int64_t pixels = most; pixels >= std::max<int64_t>(1, most / 2);
         --pixels) {
      widths.push_back(static_cast<int>(pixels));
    }
  }
  return widths;
}

// Leaves out tiles with less than a third of the sums that the best one has:
// they load more than they multiply. `registers` is what there is at most.
template <class Tile>
void KeepFullTiles(int registers, std::vector<Tile>* tiles) {
  const auto sums = [](const Tile& tile) {
    return tile.blocks * std::max(1, tile.rows) * tile.pixels;
  };
  int best = 0;
  for (const Tile& tile : *tiles) best = std::max(best, sums(tile));
  const int least = std::min(best, registers) / 3;
  std::erase_if(*tiles, [&](const Tile& tile) {
    return sums(tile) > 0 && sums(tile) < least;
  });
}

// One thread, all over rows, all over output blocks, and what lies between.
inline std::vector<std::pair<int, int>> ThreadGrids(int threads) {
  std::vector<std::pair<int, int>> grids = {{1, 1}};
  for (int blocks = threads; blocks >= 1; --blocks) {
    if (threads % blocks == 0 && threads > 1) {
      grids.emplace_back(threads / blocks, blocks);
    }
  }
  return grids;
}

}  // namespace stint

#include "kernels/conv_blocked_f32/reorder.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

// Pixels moved at a time: 64 x 16 channels are 4 KB on either side, in L1.
constexpr int64_t kPixels = 64;
// Pixels per thread at least: 64 x 16 x 4 moves take about 2 us.
constexpr int64_t kGrainTiles = 4;

// A tile of pixels of the channels of one block.
struct Tile {
  const float* x;
  float* y;
  int64_t plane;
  int64_t block;
  int64_t channels;  // that exist in this block
  int64_t pixels;
};

void TileToBlocked(const Tile& t) {
  for (int64_t c = 0; c < t.channels; ++c) {
    for (int64_t p = 0; p < t.pixels; ++p) {
      t.y[p * t.block + c] = t.x[c * t.plane + p];
    }
  }
  for (int64_t p = 0; t.channels < t.block && p < t.pixels; ++p) {
    std::fill(t.y + p * t.block + t.channels, t.y + (p + 1) * t.block, 0.0f);
  }
}

void TileToPlain(const Tile& t) {
  for (int64_t c = 0; c < t.channels; ++c) {
    for (int64_t p = 0; p < t.pixels; ++p) {
      t.y[c * t.plane + p] = t.x[p * t.block + c];
    }
  }
}

template <bool kToBlocked>
void RunReorder(const ReorderF32Args& args, ThreadPool* pool) {
  const int64_t blocks = CeilDiv(args.channels, args.block);
  const int64_t tiles = CeilDiv(args.plane, kPixels);
  auto run = [&](int64_t i) {
    const int64_t image = i / tiles / blocks;
    const int64_t b = i / tiles % blocks;
    const int64_t first = i % tiles * kPixels;
    const int64_t plain =
        (image * args.channels + b * args.block) * args.plane + first;
    const int64_t blocked =
        ((image * blocks + b) * args.plane + first) * args.block;
    const Tile tile{args.x + (kToBlocked ? plain : blocked),
                    args.y + (kToBlocked ? blocked : plain),
                    args.plane,
                    args.block,
                    std::min(args.block, args.channels - b * args.block),
                    std::min(kPixels, args.plane - first)};
    kToBlocked ? TileToBlocked(tile) : TileToPlain(tile);
  };
  pool->ParallelFor(args.batch * blocks * tiles, kGrainTiles,
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) run(i);
                    });
}

}  // namespace

void PlainToBlockedF32(const ReorderF32Args& args, ThreadPool* pool) {
  RunReorder<true>(args, pool);
}

void BlockedToPlainF32(const ReorderF32Args& args, ThreadPool* pool) {
  RunReorder<false>(args, pool);
}

}  // namespace stint

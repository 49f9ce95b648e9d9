// One step of a product on AMX tiles, 2 x 2 of them, by where the weights come
// from: `mb` of them in turn, each panel of `steps` used for `pairs` pairs of
// row tiles, nothing done with the sums. Arguments: steps, pairs, mb.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/cpu_info.h"
#include "kernels/simd/tile_product.h"
#include "kernels/testing/rotation.h"

namespace stint {
namespace {

// Bytes of numbers of bf16 near 1: of zeros a step takes less time.
std::vector<uint8_t> Numbers(int64_t bytes) {
  std::vector<uint8_t> numbers(static_cast<size_t>(bytes + 64));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i % 2 == 0 ? static_cast<uint8_t>(i * 7) : 0x3f;
  }
  return numbers;
}

void BM_TileStep(benchmark::State& state) {
  const int64_t steps = state.range(0);
  const int64_t pairs = state.range(1);
  const int64_t panel_bytes = steps * 2 * kTileBytes;
  const int64_t panels =
      std::max<int64_t>(1, (state.range(2) << 20) / panel_bytes);
  const std::vector<uint8_t> a = Numbers(pairs * panel_bytes);
  const std::vector<uint8_t> b = Numbers(panels * panel_bytes);
  TileShape shape;
  ShapeTiles<AmxTiles>(kTileRows, &shape);
  TileSums<float> sums;
  double best = 1e9;
  for (auto _ : state) {
    const int64_t start = NowNs();
    for (int64_t j = 0; j < panels; ++j) {
      for (int64_t i = 0; i < pairs; ++i) {
        TileProduct t{};
        t.a[0] = Aligned(a.data()) + i * panel_bytes;
        t.a[1] = t.a[0] + panel_bytes / 2;
        t.a_stride = kTileRowBytes;
        t.b = Aligned(b.data()) + j * panel_bytes;
        t.steps = steps;
        MultiplyTiles<AmxTiles, TileDot::kBf16>(t, 2, 2, &sums);
      }
    }
    const double seconds = MsSince(start) * 1e-3;
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
  }
  ReleaseTiles<AmxTiles>(&shape);
  state.counters["ns/step"] =
      best * 1e9 / static_cast<double>(panels * pairs * steps);
}

const bool kRegistered = [] {
  if (DetectIsa() < Isa::kAmx) return false;
  benchmark::RegisterBenchmark("tile_step", BM_TileStep)
      ->Args({12, 4, 0})
      ->Args({24, 4, 1})
      ->Args({12, 4, 21})
      ->Args({12, 2, 21})
      ->Args({24, 4, 170})
      ->Args({24, 2, 170})
      ->UseManualTime();
  return true;
}();

}  // namespace
}  // namespace stint

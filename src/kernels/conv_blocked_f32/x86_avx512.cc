#include "kernels/conv_blocked_f32/depthwise_rows.h"
#include "kernels/conv_blocked_f32/tile.h"
#include "kernels/conv_blocked_f32/widen.h"
#include "kernels/conv_blocked_f32/winograd/winograd_transform.h"
#include "kernels/simd/avx512.h"

namespace stint {
namespace {

using V = Avx512;
constexpr int kBlock = 16;

void RunTiles(const ConvTiles& tiles) {
  switch (tiles.blocks) {
    case 1:
      return RunConvRowOfStep<V, kBlock, 14, 1>(tiles);
    case 2:
      return RunConvRowOfStep<V, kBlock, 14, 2>(tiles);
    case 3:
      return RunConvRowOfStep<V, kBlock, 9, 3>(tiles);
    default:
      return RunConvRowOfStep<V, kBlock, 6, 4>(tiles);
  }
}

struct F16 {
  static STINT_INLINE V::F Widen(const uint16_t* p) {
    return _mm512_maskz_cvtph_ps(
        V::kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  }
};

}  // namespace

// 24 to 28 sums, the weights and a pixel in 32 registers.
extern const ConvTileSet kConvTilesAvx512;
const ConvTileSet kConvTilesAvx512 = {
    kBlock, {14, 14, 9, 6}, RunTiles, WidenBf16<V>, WidenScaled<V, F16>};

extern const WinogradSet kWinograd2Avx512;
const WinogradSet kWinograd2Avx512 = {2, RunWinogradInput<V, kBlock, 2>,
                                      RunWinogradOutput<V, kBlock, 2>};
extern const WinogradSet kWinograd4Avx512;
const WinogradSet kWinograd4Avx512 = {4, RunWinogradInput<V, kBlock, 4>,
                                      RunWinogradOutput<V, kBlock, 4>};

void BlockedDepthwiseAvx512(const ConvBlockedDepthwiseRow& row) {
  if (row.tile_pixels == 8) return RunDepthwiseRow<V, kBlock, 8>(row);
  RunDepthwiseRow<V, kBlock, 14>(row);
}

}  // namespace stint

#include "kernels/conv_blocked_f32/depthwise_rows.h"
#include "kernels/conv_blocked_f32/tile.h"
#include "kernels/conv_blocked_f32/widen.h"
#include "kernels/conv_blocked_f32/winograd/winograd_transform.h"
#include "kernels/simd/avx2.h"

namespace stint {
namespace {

using V = Avx2;
constexpr int kBlock = 8;

void RunTiles(const ConvTiles& tiles) {
  switch (tiles.blocks) {
    case 1:
      return RunConvRowOfStep<V, kBlock, 12, 1>(tiles);
    case 2:
      return RunConvRowOfStep<V, kBlock, 6, 2>(tiles);
    case 3:
      return RunConvRowOfStep<V, kBlock, 4, 3>(tiles);
    default:
      return RunConvRowOfStep<V, kBlock, 3, 4>(tiles);
  }
}

struct F16 {
  static STINT_INLINE V::F Widen(const uint16_t* p) {
    return _mm256_cvtph_ps(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
};

}  // namespace

// 12 sums, the weights and a pixel in 16 registers.
extern const ConvTileSet kConvTilesAvx2;
const ConvTileSet kConvTilesAvx2 = {
    kBlock, {12, 6, 4, 3}, RunTiles, WidenBf16<V>, WidenScaled<V, F16>};

extern const WinogradSet kWinograd2Avx2;
const WinogradSet kWinograd2Avx2 = {2, RunWinogradInput<V, kBlock, 2>,
                                    RunWinogradOutput<V, kBlock, 2>};
extern const WinogradSet kWinograd4Avx2;
const WinogradSet kWinograd4Avx2 = {4, RunWinogradInput<V, kBlock, 4>,
                                    RunWinogradOutput<V, kBlock, 4>};

void BlockedDepthwiseAvx2(const ConvBlockedDepthwiseRow& row) {
  RunDepthwiseRow<V, kBlock, 8>(row);
}

}  // namespace stint

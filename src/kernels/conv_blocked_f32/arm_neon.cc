#include "kernels/conv_blocked_f32/depthwise_rows.h"
#include "kernels/conv_blocked_f32/tile.h"
#include "kernels/conv_blocked_f32/widen.h"
#include "kernels/conv_blocked_f32/winograd/winograd_transform.h"
#include "kernels/simd/neon.h"

namespace stint {
namespace {

using V = Neon;
constexpr int kBlock = 8;

void RunTiles(const ConvTiles& tiles) {
  if (tiles.blocks == 1) return RunConvRowOfStep<V, kBlock, 12, 1>(tiles);
  RunConvRowOfStep<V, kBlock, 6, 2>(tiles);
}

struct F16 {
  static STINT_INLINE V::F Widen(const uint16_t* p) {
    return V::Out(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p))));
  }
};

}  // namespace

// 24 sums, 2 to 4 weights and a pixel in 32 registers.
extern const ConvTileSet kConvTilesNeon;
const ConvTileSet kConvTilesNeon = {
    kBlock, {12, 6, 0, 0}, RunTiles, WidenBf16<V>, WidenScaled<V, F16>};

extern const WinogradSet kWinograd2Neon;
const WinogradSet kWinograd2Neon = {2, RunWinogradInput<V, kBlock, 2>,
                                    RunWinogradOutput<V, kBlock, 2>};
extern const WinogradSet kWinograd4Neon;
const WinogradSet kWinograd4Neon = {4, RunWinogradInput<V, kBlock, 4>,
                                    RunWinogradOutput<V, kBlock, 4>};

void BlockedDepthwiseNeon(const ConvBlockedDepthwiseRow& row) {
  RunDepthwiseRow<V, kBlock, 8>(row);
}

}  // namespace stint

#include "kernels/simd/generic.h"

#include "core/base/float_bits.h"
#include "kernels/conv_blocked_f32/depthwise_rows.h"
#include "kernels/conv_blocked_f32/tile.h"
#include "kernels/conv_blocked_f32/widen.h"
#include "kernels/conv_blocked_f32/winograd/winograd_transform.h"

namespace stint {
namespace {

using V = Generic;
constexpr int kBlock = 8;

void RunTiles(const ConvTiles& tiles) {
  RunConvRowOfStep<V, kBlock, 6, 1>(tiles);
}

struct F16 {
  static V::F Widen(const uint16_t* p) {
    return V::F{Float16ToFloat(p[0]), Float16ToFloat(p[1]),
                Float16ToFloat(p[2]), Float16ToFloat(p[3])};
  }
};

}  // namespace

// 12 sums, 2 weights and a pixel in 16 registers.
extern const ConvTileSet kConvTilesGeneric;
const ConvTileSet kConvTilesGeneric = {
    kBlock, {6, 0, 0, 0}, RunTiles, WidenBf16<V>, WidenScaled<V, F16>};

extern const WinogradSet kWinograd2Generic;
const WinogradSet kWinograd2Generic = {2, RunWinogradInput<V, kBlock, 2>,
                                       RunWinogradOutput<V, kBlock, 2>};
extern const WinogradSet kWinograd4Generic;
const WinogradSet kWinograd4Generic = {4, RunWinogradInput<V, kBlock, 4>,
                                       RunWinogradOutput<V, kBlock, 4>};

void BlockedDepthwiseGeneric(const ConvBlockedDepthwiseRow& row) {
  RunDepthwiseRow<V, kBlock, 6>(row);
}

}  // namespace stint

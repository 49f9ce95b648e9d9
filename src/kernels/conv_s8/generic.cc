#include "kernels/conv_s8/depthwise_rows.h"
#include "kernels/conv_s8/lanes_generic.h"
#include "kernels/conv_s8/sparse_rows.h"
#include "kernels/conv_s8/tile.h"
#include "kernels/conv_s8/winograd_tiles.h"
#include "kernels/conv_sparse_f32/loops_of.h"

namespace stint {
namespace {

void RunTiles(const ConvS8Tiles& t) {
  if (t.vecs == 1) return RunConvS8Tiles<ConvGenericS8, 4, 1>(t);
  RunConvS8Tiles<ConvGenericS8, 4, 2>(t);
}

// Word by word.
struct SparseScalar {
  using I = int32_t;
  static constexpr int kWidth = 1;
  static STINT_INLINE I Set1(int32_t x) { return x; }
  static STINT_INLINE I Load(const uint32_t* p) { return static_cast<I>(*p); }
  static STINT_INLINE void Store(int32_t* p, I x) { *p = x; }
  static STINT_INLINE I Dot(I sum, I bytes, I weights) {
    for (int i = 0; i < 4; ++i) {
      sum += static_cast<uint8_t>(bytes >> 8 * i) *
             static_cast<int8_t>(weights >> 8 * i);
    }
    return sum;
  }
};

struct WinogradGeneric : ConvGenericS8 {
  typedef int16_t Pairs __attribute__((vector_size(16)));
  static STINT_INLINE Pairs LoadPairs(const int16_t* p) {
    Pairs pairs;
    std::memcpy(&pairs, p, sizeof(pairs));
    return pairs;
  }
  static STINT_INLINE Pairs BroadcastPair(const int16_t* p) {
    return Pairs{p[0], p[1], p[0], p[1], p[0], p[1], p[0], p[1]};
  }
  static STINT_INLINE I DotPairs(I sums, Pairs a, Pairs b) {
    for (int i = 0; i < kWidth; ++i) {
      const int32_t pair = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
      sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) +
                                     static_cast<uint32_t>(pair));
    }
    return sums;
  }
};

}  // namespace

extern const ConvS8WinogradSet kConvS8WinogradGeneric;
const ConvS8WinogradSet kConvS8WinogradGeneric = {
    4, 1, RunWinogradS8Input<16>, RunWinogradS8Product<WinogradGeneric, 4, 1>,
    RunWinogradS8Result<WinogradGeneric, 1>};

extern const ConvS8SparseSet kConvS8SparseGeneric;
const ConvS8SparseSet kConvS8SparseGeneric = {
    RunSparseS8Sums<SparseScalar, 8>, RunSparseS8Split<ScalarTurn<16>>,
    RunSparseS8Finish<ConvGenericS8, ScalarTurn<16>>};

// 8 sums leave half of the registers to the pairs of pixels and weights.
extern const ConvS8TileSet kConvS8TilesGeneric;
const ConvS8TileSet kConvS8TilesGeneric = {4, 2, RunTiles};

extern const ConvS8DepthwiseSet kConvS8DepthwiseGeneric;
const ConvS8DepthwiseSet kConvS8DepthwiseGeneric = {
    4, RunDepthwiseS8<ConvGenericS8>};

}  // namespace stint

#include "kernels/conv_s8/depthwise_rows.h"
#include "kernels/conv_s8/lanes_vnni.h"
#include "kernels/conv_s8/lanes_vnni8.h"
#include "kernels/conv_s8/sparse_rows.h"
#include "kernels/conv_s8/tile.h"
#include "kernels/conv_s8/winograd_tiles.h"
#include "kernels/simd/turn16.h"

namespace stint {
namespace {

// 24 sums, 4 vectors of weights and a broadcast fill 29 of 32 registers; more
// than 8 pixels would not leave each its own pointer.
void RunTiles(const ConvS8Tiles& t) {
  switch (t.vecs) {
    case 1:
      return RunConvS8Tiles<ConvVnniS8, 8, 1>(t);
    case 2:
      return RunConvS8Tiles<ConvVnniS8, 8, 2>(t);
    case 3:
      return RunConvS8Tiles<ConvVnniS8, 8, 3>(t);
    default:
      return RunConvS8Tiles<ConvVnniS8, 6, 4>(t);
  }
}

struct SparseVnni {
  using I = __m512i;
  static constexpr int kWidth = 16;
  static STINT_INLINE I Set1(int32_t x) { return _mm512_set1_epi32(x); }
  static STINT_INLINE I Load(const uint32_t* p) {
    return _mm512_loadu_si512(p);
  }
  static STINT_INLINE void Store(int32_t* p, I x) { _mm512_storeu_si512(p, x); }
  static STINT_INLINE I Dot(I sums, I bytes, I weights) {
    return _mm512_dpbusd_epi32(sums, bytes, weights);
  }
};

struct WinogradVnni : ConvVnniS8 {
  using Pairs = __m512i;
  static STINT_INLINE Pairs LoadPairs(const int16_t* p) {
    return _mm512_loadu_si512(p);
  }
  static STINT_INLINE Pairs BroadcastPair(const int16_t* p) {
    int32_t pair;
    std::memcpy(&pair, p, sizeof(pair));
    return _mm512_set1_epi32(pair);
  }
  static STINT_INLINE I DotPairs(I sums, Pairs a, Pairs b) {
    return reinterpret_cast<I>(
        _mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sums), a, b));
  }
};

// Register tiles as above.
void RunWinogradProduct(const WinogradS8Product& p) {
  switch (p.vecs) {
    case 1:
      return RunWinogradS8Product<WinogradVnni, 8, 1>(p);
    case 2:
      return RunWinogradS8Product<WinogradVnni, 8, 2>(p);
    case 3:
      return RunWinogradS8Product<WinogradVnni, 8, 3>(p);
    default:
      return RunWinogradS8Product<WinogradVnni, 6, 4>(p);
  }
}

void RunWinogradResult(const WinogradS8Result& r) {
  switch (r.vecs) {
    case 1:
      return RunWinogradS8Result<WinogradVnni, 1>(r);
    case 2:
      return RunWinogradS8Result<WinogradVnni, 2>(r);
    case 3:
      return RunWinogradS8Result<WinogradVnni, 3>(r);
    default:
      return RunWinogradS8Result<WinogradVnni, 4>(r);
  }
}

}  // namespace

extern const ConvS8WinogradSet kConvS8WinogradVnni;
const ConvS8WinogradSet kConvS8WinogradVnni = {
    16, 4, RunWinogradS8Input<32>, RunWinogradProduct, RunWinogradResult};

extern const ConvS8SparseSet kConvS8SparseVnni;
const ConvS8SparseSet kConvS8SparseVnni = {
    RunSparseS8Sums<SparseVnni, 8>, RunSparseS8Split<Turn16>,
    RunSparseS8Finish<ConvVnniS8, Turn16>};

extern const ConvS8TileSet kConvS8TilesVnni;
const ConvS8TileSet kConvS8TilesVnni = {16, 4, RunTiles};

extern const ConvS8TileSet kConvS8TilesVnni8;
const ConvS8TileSet kConvS8TilesVnni8 = {
    8, 1, RunConvS8Tiles<ConvVnni8S8, 8, 1>, 1, 64};

extern const ConvS8DepthwiseSet kConvS8DepthwiseVnni;
const ConvS8DepthwiseSet kConvS8DepthwiseVnni = {16,
                                                 RunDepthwiseS8<ConvVnniS8>};

}  // namespace stint

#include "kernels/gemm_s8/tile.h"
#include "kernels/simd/neon.h"

namespace stint {
namespace {

// sdot multiplies signed bytes by signed ones: A is shifted by 128.
struct DotS8 : Neon {
  static constexpr int kTileVecs = 3;
  static constexpr int kOffset = 128;
  using A = int8x16_t;
  using B = int8x16_t;

  static STINT_INLINE A Broadcast(const uint8_t* p) {
    uint32_t four;
    std::memcpy(&four, p, sizeof(four));
    return vreinterpretq_s8_u32(vdupq_n_u32(four ^ 0x80808080u));
  }
  static STINT_INLINE B LoadB(const int8_t* p) { return vld1q_s8(p); }
  static STINT_INLINE I Dot(I acc, A a, B b) {
    return reinterpret_cast<I>(
        vdotq_s32(reinterpret_cast<int32x4_t>(acc), a, b));
  }
  static STINT_INLINE I LoadSums(const int32_t* p) {
    return reinterpret_cast<I>(vld1q_s32(p));
  }
  static STINT_INLINE F ToFloat(I x) { return __builtin_convertvector(x, F); }
  static STINT_INLINE I Round(F x) {
    return reinterpret_cast<I>(vcvtnq_s32_f32(In(x)));
  }
  // The low byte of each lane.
  static STINT_INLINE uint32_t Bytes(I x) {
    const int16x4_t half = vmovn_s32(reinterpret_cast<int32x4_t>(x));
    const int8x8_t bytes = vmovn_s16(vcombine_s16(half, half));
    return vget_lane_u32(vreinterpret_u32_s8(bytes), 0);
  }
  static STINT_INLINE void StoreBytes(uint8_t* p, I x) {
    const uint32_t bytes = Bytes(x);
    std::memcpy(p, &bytes, sizeof(bytes));
  }
  static STINT_INLINE void StoreBytesN(uint8_t* p, I x, int64_t n) {
    const uint32_t bytes = Bytes(x);
    std::memcpy(p, &bytes, static_cast<size_t>(n));
  }
};

}  // namespace

// 24 sums, 3 vectors of B and a broadcast of A fill 28 of 32 registers.
void GemmS8Dot(const GemmS8Block& block) { RunGemmS8<DotS8, 8>(block); }

void QuantizeRowsDot(const QuantizeRowsArgs& args) {
  QuantizeRowsWith<DotS8>(args);
}

}  // namespace stint

#include <arm_neon.h>

#include "kernels/gemm_codes/bit_matrices.h"

namespace stint {
namespace {

struct NeonCodes {
  using Vector = PlanePair;

  // Parts of 64 values: a lookup gives 0, or what was there, past its end.
  template <int kBits>
  struct Values {
    static constexpr int kParts = kBits <= 6 ? 1 : 1 << (kBits - 6);
    explicit Values(const int8_t* v) {
      uint8_t bytes[64 * kParts] = {};
      std::memcpy(bytes, v, size_t{1} << kBits);
      for (int i = 0; i < kParts; ++i) {
        for (int j = 0; j < 4; ++j) {
          parts[i].val[j] = vld1q_u8(bytes + 64 * i + 16 * j);
        }
      }
    }

    STINT_INLINE Vector Of(Vector codes) const {
      const uint8x16_t x = reinterpret_cast<uint8x16_t>(codes);
      if constexpr (kBits <= 4) {
        return reinterpret_cast<Vector>(vqtbl1q_u8(parts[0].val[0], x));
      } else if constexpr (kBits == 5) {
        const uint8x16x2_t half = {{parts[0].val[0], parts[0].val[1]}};
        return reinterpret_cast<Vector>(vqtbl2q_u8(half, x));
      } else {
        uint8x16_t y = vqtbl4q_u8(parts[0], x);
#pragma GCC unroll 4
        for (int i = 1; i < kParts; ++i) {
          y = vqtbx4q_u8(y, parts[i],
                         vsubq_u8(x, vdupq_n_u8(static_cast<uint8_t>(64 * i))));
        }
        return reinterpret_cast<Vector>(y);
      }
    }
    uint8x16x4_t parts[kParts];
  };

  // Four outputs per vector.
  struct Sums {
    STINT_INLINE void Add(Vector values, int vector) {
      sums[vector] = vpadalq_s16(
          sums[vector], vpaddlq_s8(reinterpret_cast<int8x16_t>(values)));
    }
    STINT_INLINE void AddTo(int32_t* to) const {
      for (int i = 0; i < 4; ++i) {
        vst1q_s32(to + 4 * i, vaddq_s32(vld1q_s32(to + 4 * i), sums[i]));
      }
    }
    int32x4_t sums[4] = {};
  };
};

}  // namespace

void DecodeStripNeon(const StripCodes& codes, const StripWords& to,
                     int32_t* sums) {
  DecodeStripWith<NeonCodes>(codes, to, sums);
}

}  // namespace stint

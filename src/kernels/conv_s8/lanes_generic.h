#pragma once
// The vectors of byte convolutions (finish.h) on any machine.

#include "kernels/conv_s8/finish.h"
#include "kernels/gemm_s8/lanes_generic.h"

namespace stint {

struct ConvGenericS8 : GenericS8 {
  static constexpr bool kHasPieces = false;

  // What is beyond a byte by far stays so; Round is exact for less.
  static STINT_INLINE I Round(F x) {
    return GenericS8::Round(Clamp<Generic>(x, -32768, 32767));
  }
  class Bytes {
   public:
    STINT_INLINE Bytes(const ConvS8Output& out, int64_t channels)
        : out_(out), channels_(channels) {}

    // With a width of four, both orders are the same.
    template <LaneOrder, int kVecs>
    STINT_INLINE void Store(uint8_t* p, const I (&q)[kVecs]) const {
      for (int64_t i = 0; i < kVecs * kWidth && i < channels_; ++i) {
        const int x = q[i / kWidth][i % kWidth] + out_.zero;
        p[i] = static_cast<uint8_t>(x < out_.lo   ? out_.lo
                                    : x > out_.hi ? out_.hi
                                                  : x);
      }
    }

   private:
    const ConvS8Output& out_;
    int64_t channels_;
  };

  static STINT_INLINE void Quads(const uint8_t* p, int64_t step,
                                 A (&quads)[4]) {
    for (int v = 0; v < 4; ++v) {
      for (int i = 0; i < kWidth; ++i) {
        const uint8_t* at = p + 4 * v + i;
        quads[v].even[2 * i] = at[0];
        quads[v].odd[2 * i] = at[step];
        quads[v].even[2 * i + 1] = at[2 * step];
        quads[v].odd[2 * i + 1] = at[3 * step];
      }
    }
  }
  static STINT_INLINE void Widen(const uint8_t* p, I (&lanes)[4]) {
    for (int v = 0; v < 4; ++v) lanes[v] = LoadBytes(p + 4 * v);
  }
};

}  // namespace stint

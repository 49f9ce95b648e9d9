#pragma once
// AVX-512 with its conversions to bf16, which every CPU with AMX has. Written
// as assembly: the files of that ISA are compiled for AVX-512 and VNNI.
// Subnormal numbers become 0.

#include "kernels/simd/avx512.h"

namespace stint {

struct Avx512Bf16 : Avx512 {
  static STINT_INLINE __m256i NarrowOne(F x) {
    __m256i y;
    asm("vcvtneps2bf16 %1, %0" : "=v"(y) : "v"(x));
    return y;
  }
  // `low` first.
  static STINT_INLINE __m512i NarrowTwo(F low, F high) {
    __m512i y;
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(y) : "v"(low), "v"(high));
    return y;
  }
  // Numbers of `even` and `odd` in turn.
  static STINT_INLINE __m512i NarrowInTurn(F even, F odd) {
    const __m512i order = _mm512_setr_epi32(
        0x100000, 0x110001, 0x120002, 0x130003, 0x140004, 0x150005, 0x160006,
        0x170007, 0x180008, 0x190009, 0x1a000a, 0x1b000b, 0x1c000c, 0x1d000d,
        0x1e000e, 0x1f000f);
    return _mm512_maskz_permutexvar_epi16(~0u, order, NarrowTwo(even, odd));
  }
};

}  // namespace stint

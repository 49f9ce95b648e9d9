#pragma once
// The eight AMX tile registers, 16 rows of 64 bytes each. Kernels are templates
// over a class with these static functions, so that tests can run them on
// registers in memory (kernels/testing/emulated_tiles.h).
//
// The intrinsics of GCC 12 under-declare their memory operands and give wrong
// code; these wrappers declare all of memory.

#include <cstdint>

#include "core/platform/machine/amx.h"
#include "kernels/simd/generic.h"

namespace stint {

inline constexpr int kTileRows = 16;
inline constexpr int kTileBytes = 1024;
inline constexpr int64_t kTileRowBytes = 64;

#if defined(__x86_64__)
struct AmxTiles {
  // Clears all tiles.
  static STINT_INLINE void Configure(const AmxTileConfig& config) {
    asm volatile("ldtilecfg (%0)" : : "r"(&config) : "memory");
  }
  // Without it every switch of threads would save 8 KB.
  static STINT_INLINE void Release() {
    asm volatile("tilerelease" : : : "memory");
  }
  template <int kTile>
  static STINT_INLINE void Zero() {
    asm volatile("tilezero %%tmm%c0" : : "i"(kTile) : "memory");
  }
  // Rows are `stride` bytes apart.
  template <int kTile>
  static STINT_INLINE void Load(const void* p, int64_t stride) {
    asm volatile("tileloadd (%0,%1,1), %%tmm%c2"
                 :
                 : "r"(p), "r"(stride), "i"(kTile)
                 : "memory");
  }
  template <int kTile>
  static STINT_INLINE void Store(void* p, int64_t stride) {
    asm volatile("tilestored %%tmm%c2, (%0,%1,1)"
                 :
                 : "r"(p), "r"(stride), "i"(kTile)
                 : "memory");
  }
  // C[i][j] += sum over k of A[i][k] * B[k/2][j][k%2] in fp32.
  template <int kC, int kA, int kB>
  static STINT_INLINE void DotBf16() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kC), "i"(kA), "i"(kB)
                 : "memory");
  }
  // C[i][j] += sum over k of A[i][k] * B[k/4][j][k%4], u8 by s8, in int32.
  template <int kC, int kA, int kB>
  static STINT_INLINE void DotU8S8() {
    asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0"
                 :
                 : "i"(kC), "i"(kA), "i"(kB)
                 : "memory");
  }
};
#endif

}  // namespace stint

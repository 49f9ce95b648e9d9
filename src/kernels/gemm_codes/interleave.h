#pragma once
// Bytes of several rows brought side by side, in portable vectors.

#include <cstdint>

#include "kernels/simd/generic.h"

namespace stint {

typedef uint8_t Bytes16 __attribute__((vector_size(16)));

STINT_INLINE Bytes16 InterleaveLow(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                 6, 22, 7, 23);
}
STINT_INLINE Bytes16 InterleaveHigh(Bytes16 a, Bytes16 b) {
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                 29, 14, 30, 15, 31);
}

// Byte i of row j comes to byte kCount * i + j; kCount is a power of two. Wider
// vectors than Bytes16 do so in each 16 bytes apart.
template <class V, int kCount>
STINT_INLINE void InterleaveBytes(const V (&rows)[kCount], V* bytes) {
  if constexpr (kCount == 1) {
    bytes[0] = rows[0];
  } else {
    V low[kCount / 2], high[kCount / 2];
#pragma GCC unroll 8
    for (int j = 0; j < kCount / 2; ++j) {
      low[j] = InterleaveLow(rows[j], rows[j + kCount / 2]);
      high[j] = InterleaveHigh(rows[j], rows[j + kCount / 2]);
    }
    InterleaveBytes(low, bytes);
    InterleaveBytes(high, bytes + kCount / 2);
  }
}

}  // namespace stint

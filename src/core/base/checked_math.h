#pragma once
// Integer arithmetic on sizes that come from files: overflow is reported, never
// wrapped.

#include <cstdint>

namespace stint {

// Each returns false and leaves `out` unspecified on overflow.
inline bool CheckedMul(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}
inline bool CheckedAdd(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_add_overflow(a, b, out);
}

// b > 0; never overflows.
inline int64_t CeilDiv(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
inline int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

}  // namespace stint

#pragma once
// Decoding in portable vectors, one source for every instruction set L without
// bit matrix products: planes' bytes are interleaved, and 8 x 8 bits transposed
// by shifts and masks, for 64 codes or, up to 4 bits, for 128.
//
// L has Vector (16 or 32 bytes of uint64_t); Values<kBits>, a dictionary whose
// Of looks up the bytes of a Vector, of which only the low kBits are set; and
// Sums, which adds bytes of values: Add(vector, number of the vector in the
// word), AddTo.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/gemm_codes/interleave.h"
#include "kernels/gemm_codes/whole_words.h"

namespace stint {

typedef uint64_t PlanePair __attribute__((vector_size(16)));

// Bit i of byte j of each 64 bits comes to bit j of byte i.
template <class V>
STINT_INLINE V TransposeBits(V x) {
  const auto swap = [&](uint64_t mask, int shift) STINT_LAMBDA {
    const V t = (x ^ (x >> shift)) & mask;
    x = x ^ t ^ (t << shift);
  };
  swap(0x00aa00aa00aa00aaull, 7);
  swap(0x0000cccc0000ccccull, 14);
  swap(0x00000000f0f0f0f0ull, 28);
  return x;
}

// Two words of a strip from `word` on, values to `to`.
template <class L, int kBits>
struct BitMatrixWords {
  using V = typename L::Vector;
  using Values = typename L::template Values<kBits>;
  static constexpr int kVectors = 64 / sizeof(V);
  // Up to 4 bits a matrix has the planes of one word and then of the next.
  static constexpr int kRows = kBits <= 4 ? 4 : 8;

  static constexpr int kPieces = sizeof(V) / 16;
  static constexpr int kMatrixVectors = kRows / kPieces;

  static STINT_INLINE V Join(const Bytes16* pieces) {
    const PlanePair a = reinterpret_cast<PlanePair>(pieces[0]);
    if constexpr (kPieces == 1) {
      return a;
    } else {
      const PlanePair b = reinterpret_cast<PlanePair>(pieces[1]);
      return __builtin_shufflevector(a, b, 0, 1, 2, 3);
    }
  }

  static STINT_INLINE void LoadMatrices(const uint64_t* const* planes,
                                        int64_t word,
                                        V (&matrices)[kMatrixVectors]) {
    Bytes16 rows[kRows];
#pragma GCC unroll 8
    for (int bit = 0; bit < kRows; ++bit) {
      rows[bit] = Bytes16{};
      if (bit < kBits) {
        std::memcpy(&rows[bit], planes[kBits - 1 - bit] + word, 16);
      }
    }
    Bytes16 bytes[kRows];
    InterleaveBytes(rows, bytes);
    if constexpr (kBits <= 4) PairHalves(bytes);
#pragma GCC unroll 8
    for (int v = 0; v < kMatrixVectors; ++v) {
      matrices[v] = Join(bytes + v * kPieces);
    }
  }

  // Halves of matrices, those of one word and then of the next, to matrices.
  static STINT_INLINE void PairHalves(Bytes16 (&bytes)[kRows]) {
    typedef uint32_t Quad __attribute__((vector_size(16)));
    const Quad halves[4] = {
        reinterpret_cast<Quad>(bytes[0]), reinterpret_cast<Quad>(bytes[1]),
        reinterpret_cast<Quad>(bytes[2]), reinterpret_cast<Quad>(bytes[3])};
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const Quad a = halves[i], b = halves[i + 2];
      const Quad low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
      const Quad high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
      bytes[2 * i] = reinterpret_cast<Bytes16>(low);
      bytes[2 * i + 1] = reinterpret_cast<Bytes16>(high);
    }
  }

  template <class Sums>
  static STINT_INLINE void Store(const Values& values, V codes, int vector,
                                 int8_t* to, Sums* sums) {
    const V x = values.Of(codes);
    std::memcpy(to + vector * static_cast<int>(sizeof(V)), &x, sizeof(V));
    sums->Add(x, vector);
  }

  template <class Sums>
  static STINT_INLINE void Decode(const uint64_t* const* planes, int64_t word,
                                  const Values& values, int8_t* const (&to)[2],
                                  Sums* sums) {
    V matrices[kMatrixVectors];
    LoadMatrices(planes, word, matrices);
#pragma GCC unroll 8
    for (int v = 0; v < kMatrixVectors; ++v) {
      const V x = TransposeBits(matrices[v]);
      if constexpr (kBits <= 4) {
        constexpr uint64_t kNibbles = 0x0f0f0f0f0f0f0f0full;
        Store(values, x & kNibbles, v, to[0], sums);
        Store(values, (x >> 4) & kNibbles, v, to[1], sums);
      } else {
        Store(values, x, v % kVectors, to[v / kVectors], sums);
      }
    }
  }
};

template <class L, int kBits>
__attribute__((noinline)) void DecodeBitMatrices(const StripCodes& codes,
                                                 const StripWords& to,
                                                 int32_t* sums) {
  using Words = BitMatrixWords<L, kBits>;
  const typename Words::Values values(codes.values);
  typename L::Sums total;
  ForRuns(
      codes, to,
      [&](int64_t w, int64_t end, int8_t* at) STINT_LAMBDA {
        for (; w + 2 <= end; w += 2, at += 2 * to.word_bytes) {
          if (w % 8 == 0) {
            for (int p = 0; p < kBits; ++p) {
              __builtin_prefetch(codes.planes[p] + w + kPlanePrefetchWords);
            }
          }
          Words::Decode(codes.planes, w, values, {at, at + to.word_bytes},
                        &total);
        }
        return w;
      },
      [&](int64_t begin, int64_t end) {
        StripTail<2> tail(codes, begin, end);
        const uint64_t* planes[kBits];
        for (int p = 0; p < kBits; ++p) planes[p] = tail.planes[p];
        typename L::Sums unused;
        Words::Decode(planes, 0, values, {tail.values[0], tail.values[1]},
                      &unused);
        tail.Store(to, sums);
      });
  total.AddTo(sums);
}

template <class L>
STINT_INLINE void DecodeStripWith(const StripCodes& codes, const StripWords& to,
                                  int32_t* sums) {
  WithBits(codes.bits, [&](auto bits) STINT_LAMBDA {
    DecodeBitMatrices<L, bits()>(codes, to, sums);
  });
}

}  // namespace stint

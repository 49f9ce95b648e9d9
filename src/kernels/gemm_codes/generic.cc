#include "kernels/gemm_codes/bit_matrices.h"

namespace stint {
namespace {

struct GenericCodes {
  using Vector = PlanePair;

  template <int kBits>
  struct Values {
    explicit Values(const int8_t* v) : values(v) {}

    STINT_INLINE Vector Of(Vector codes) const {
      uint8_t bytes[16];
      std::memcpy(bytes, &codes, 16);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(values[byte]);
      std::memcpy(&codes, bytes, 16);
      return codes;
    }
    const int8_t* values;
  };

  // Four outputs per vector: bytes are summed by shifts in 16 and 32 bits.
  struct Sums {
    typedef int16_t Wide __attribute__((vector_size(16)));
    typedef int32_t I __attribute__((vector_size(16)));
    STINT_INLINE void Add(Vector values, int vector) {
      const Wide odd = reinterpret_cast<Wide>(values) >> 8;
      const Wide even = (reinterpret_cast<Wide>(values) << 8) >> 8;
      const I pairs = reinterpret_cast<I>(odd + even);
      sums[vector] += (pairs >> 16) + ((pairs << 16) >> 16);
    }
    STINT_INLINE void AddTo(int32_t* to) const {
      for (int i = 0; i < 16; ++i) to[i] += sums[i / 4][i % 4];
    }
    I sums[4] = {};
  };
};

}  // namespace

void DecodeStripGeneric(const StripCodes& codes, const StripWords& to,
                        int32_t* sums) {
  DecodeStripWith<GenericCodes>(codes, to, sums);
}

}  // namespace stint

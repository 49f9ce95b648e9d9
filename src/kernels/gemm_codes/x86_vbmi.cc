#include "kernels/gemm_codes/vbmi.h"

namespace stint {

void DecodeStripVbmi(const StripCodes& codes, const StripWords& to,
                     int32_t* sums) {
  WithBits(codes.bits, [&](auto bits) STINT_LAMBDA {
    DecodeWithVbmi<bits()>(codes, to, sums);
  });
}

}  // namespace stint

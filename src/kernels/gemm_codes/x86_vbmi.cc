#include "kernels/gemm_codes/few_rows.h"
#include "kernels/gemm_codes/outlier_rows.h"
#include "kernels/gemm_codes/vbmi.h"

namespace stint {
void DecodeStripVbmi(const StripCodes& codes, const StripWords& to,
                     int32_t* sums) {
  WithBits(codes.bits, [&](auto bits) STINT_LAMBDA {
    DecodeWithVbmi<bits()>(codes, to, sums);
  });
}

void TransposeRowsVbmi(const RowColumns& rows) { TransposeToColumns(rows); }

void AddOutliersVbmi(const OutlierBlock& block) { AddOutliersByColumns(block); }

void MultiplyFewVbmi(const GemmS8Block& block, const CodedStrip& strip) {
  MultiplyUpTo<8>(block, strip);
}

}  // namespace stint

#include "kernels/gemm_codes/few_rows.h"
#include "kernels/gemm_codes/outlier_rows.h"
#include "kernels/gemm_codes/vbmi.h"
#include "kernels/gemm_s8/lanes_vnni.h"

namespace stint {

void DecodeStripVbmi(const StripCodes& codes, const StripWords& to,
                     int32_t* sums) {
  WithBits(codes.bits, [&](auto bits) STINT_LAMBDA {
    DecodeWithVbmi<bits()>(codes, to, sums);
  });
}

void TransposeRowsVbmi(const RowColumns& rows) { TransposeRowsWith(rows); }

void AddOutliersVbmi(const OutlierBlock& block) {
  AddOutliersWith<VnniS8>(block);
}

void MultiplyFewVbmi(const GemmS8Block& block, const CodedStrip& strip) {
  MultiplyUpTo<8>(block, strip);
}

}  // namespace stint

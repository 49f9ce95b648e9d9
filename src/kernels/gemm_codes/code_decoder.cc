#include "kernels/gemm_codes/code_decoder.h"

#include "core/base/check.h"
#include "kernels/gemm_codes/reference.h"

namespace stint {

void DecodeStripVbmi(const StripCodes& codes, const StripWords& to,
                     int32_t* sums);
void TransposeRowsVbmi(const RowColumns& rows);
void AddOutliersVbmi(const OutlierBlock& block);
void MultiplyFewVbmi(const GemmS8Block& block, const CodedStrip& strip);
void DecodeStripAvx2(const StripCodes& codes, const StripWords& to,
                     int32_t* sums);
void TransposeRowsAvx2(const RowColumns& rows);
void AddOutliersAvx2(const OutlierBlock& block);
void DecodeStripNeon(const StripCodes& codes, const StripWords& to,
                     int32_t* sums);
void DecodeStripGeneric(const StripCodes& codes, const StripWords& to,
                        int32_t* sums);
void TransposeRowsGeneric(const RowColumns& rows);
void AddOutliersGeneric(const OutlierBlock& block);

namespace {

constexpr CodeDecoder kTable[] = {
#if defined(__x86_64__)
    {"vbmi", Isa::kVnni, true, DecodeStripVbmi, TransposeRowsVbmi,
     AddOutliersVbmi, 8, MultiplyFewVbmi},
    {"avx2", Isa::kAvx2, false, DecodeStripAvx2, TransposeRowsAvx2,
     AddOutliersAvx2, 0, nullptr},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, false, DecodeStripNeon, TransposeRowsGeneric,
     AddOutliersGeneric, 0, nullptr},
#endif
    {"generic", Isa::kBaseline, false, DecodeStripGeneric, TransposeRowsGeneric,
     AddOutliersGeneric, 0, nullptr},
    {"reference", Isa::kBaseline, false, ReferenceDecodeStrip,
     ReferenceTransposeRows, ReferenceAddOutliers, 0, nullptr},
};

}  // namespace

std::span<const CodeDecoder> CodeDecoderTable() { return kTable; }

bool CanRun(const CodeDecoder& decoder, Isa cap) {
  return decoder.isa <= cap && (!decoder.byte_permutes || HasBytePermutes());
}

const CodeDecoder& PickCodeDecoder(Isa cap) {
  for (const CodeDecoder& decoder : kTable) {
    if (CanRun(decoder, cap)) return decoder;
  }
  STINT_CHECK(false);
}

}  // namespace stint

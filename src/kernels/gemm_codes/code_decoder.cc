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
void DecodeStripNeon(const StripCodes& codes, const StripWords& to,
                     int32_t* sums);
void DecodeStripGeneric(const StripCodes& codes, const StripWords& to,
                        int32_t* sums);

namespace {

constexpr CodeDecoder kTable[] = {
#if defined(__x86_64__)
    {"vbmi", Isa::kVnni, true, DecodeStripVbmi, 8, MultiplyFewVbmi,
     TransposeRowsVbmi, AddOutliersVbmi},
    {"avx2", Isa::kAvx2, false, DecodeStripAvx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, false, DecodeStripNeon},
#endif
    {"generic", Isa::kBaseline, false, DecodeStripGeneric},
    {"reference", Isa::kBaseline, false, ReferenceDecodeStrip},
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

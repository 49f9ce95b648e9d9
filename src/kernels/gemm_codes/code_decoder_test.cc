#include "kernels/gemm_codes/code_decoder.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked_math.h"
#include "kernels/testing/planes.h"

namespace stint {
namespace {

// Panels as products read them: words side by side, three strips of a vector
// panel, and tiles of 16 words of one strip beside another's.
struct Layout {
  int64_t word_bytes;
  int64_t run_words;
  int64_t run_bytes;

  int64_t Bytes(int64_t words) const {
    return CeilDiv(words, run_words) * run_bytes;
  }
};
constexpr Layout kLayouts[] = {
    {64, 600, 600 * 64}, {192, 100, 192 * 100}, {64, 16, 2048}};

StripCodes StripOf(const RandomPlanes& planes, int64_t strip, int bits) {
  StripCodes codes{};
  codes.bits = bits;
  codes.values = planes.values(bits);
  codes.inputs = planes.shape().inputs;
  for (int p = 0; p < bits; ++p) {
    codes.planes[p] = planes.plane(p) + strip * planes.shape().strip_words();
  }
  return codes;
}

struct Decoded {
  std::vector<int8_t> panel;
  std::vector<int32_t> sums;
};

Decoded Decode(const CodeDecoder& decoder, const StripCodes& codes,
               const Layout& layout, int64_t first) {
  Decoded got{std::vector<int8_t>(layout.Bytes(first + codes.words()), 77),
              std::vector<int32_t>(16)};
  for (int o = 0; o < 16; ++o) got.sums[o] = 1000 * o;
  decoder.decode(codes,
                 {got.panel.data(), layout.word_bytes, layout.run_words,
                  layout.run_bytes, first},
                 got.sums.data());
  return got;
}

Decoded Expect(const RandomPlanes& planes, int64_t strip, int bits,
               const Layout& layout, int64_t first) {
  const PlaneBlockShape& shape = planes.shape();
  const int64_t run = layout.run_words;
  Decoded want{
      std::vector<int8_t>(layout.Bytes(first + shape.strip_words()), 77),
      std::vector<int32_t>(16)};
  for (int64_t o = 0; o < 16; ++o) {
    want.sums[o] = static_cast<int32_t>(1000 * o);
    for (int64_t i = 0; i < 4 * shape.strip_words(); ++i) {
      const int64_t word = first + i / 4;
      const int8_t value =
          i < shape.inputs ? planes.Value(16 * strip + o, i, bits) : int8_t{0};
      want.panel[word / run * layout.run_bytes +
                 word % run * layout.word_bytes + 4 * o + i % 4] = value;
      want.sums[o] += value;
    }
  }
  return want;
}

void CheckAllRows(const RandomPlanes& planes, int64_t strip, int64_t first) {
  for (const CodeDecoder& decoder : CodeDecoderTable()) {
    if (!CanRun(decoder, DetectIsa())) continue;
    for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
      for (const Layout& layout : kLayouts) {
        SCOPED_TRACE(testing::Message()
                     << decoder.name << " " << bits << " bits, "
                     << planes.shape().inputs << " inputs");
        const Decoded got =
            Decode(decoder, StripOf(planes, strip, bits), layout, first);
        const Decoded want = Expect(planes, strip, bits, layout, first);
        ASSERT_EQ(got.panel, want.panel);
        ASSERT_EQ(got.sums, want.sums);
      }
    }
  }
}

TEST(CodeDecoder, DecodesEveryNumberOfInputs) {
  for (int64_t inputs = 1; inputs <= 70; ++inputs) {
    CheckAllRows(RandomPlanes({16, inputs}, inputs), 0, 0);
  }
}

TEST(CodeDecoder, DecodesLongStripsOfABlock) {
  const RandomPlanes planes({40, 1536}, 7);
  for (int64_t strip = 0; strip < 3; ++strip) CheckAllRows(planes, strip, 0);
}

TEST(CodeDecoder, ContinuesAPanelAtAnyWord) {
  const RandomPlanes planes({16, 52}, 9);
  for (int64_t first : {1, 5, 16, 23}) CheckAllRows(planes, 0, first);
}

TEST(CodeDecoder, SumsTheSmallestValuesOfLongStrips) {
  const int64_t inputs = 65536;
  const std::vector<uint64_t> plane(inputs / 4, 0);
  const std::vector<int8_t> values(256, -128);
  for (const CodeDecoder& decoder : CodeDecoderTable()) {
    if (!CanRun(decoder, DetectIsa())) continue;
    StripCodes codes{};
    codes.bits = 8;
    codes.values = values.data();
    codes.inputs = inputs;
    for (const uint64_t*& p : codes.planes) p = plane.data();
    std::vector<int8_t> panel(inputs * 16);
    std::vector<int32_t> sums(16);
    decoder.decode(codes, {panel.data(), 64}, sums.data());
    EXPECT_EQ(sums, std::vector<int32_t>(16, -128 * 65536)) << decoder.name;
  }
}

TEST(CodeDecoder, BestRowRunsOnEveryLevel) {
  for (Isa cap : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kVnni,
                  Isa::kBf16, Isa::kAmx}) {
    const CodeDecoder& decoder = PickCodeDecoder(DetectIsa(cap));
    EXPECT_LE(decoder.isa, cap);
    EXPECT_STRNE(decoder.name, "reference");
  }
}

}  // namespace
}  // namespace stint

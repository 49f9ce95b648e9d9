#include "kernels/gemm_codes/chunk_panels.h"

#include <algorithm>
#include <cstring>

namespace stint {
namespace {

// Panels whose columns come by 16: a word is 64 bytes of them.
StripWords WordsOf(const ChunkPanels& to, int64_t column) {
  const GemmS8Kernel& kernel = *to.kernel;
  const int64_t within = column % kernel.tile_n;
  StripWords words{};
  words.data = to.data + column / kernel.tile_n * to.panel_bytes +
               within / kernel.strip_n * kernel.strip_n * kernel.step_k +
               within % kernel.strip_n * 4;
  words.word_bytes = kernel.strip_n * 4;
  words.run_words = kernel.step_k / 4;
  words.run_bytes = int64_t{kernel.step_k} * kernel.tile_n;
  if (words.run_words == 1) {
    words.word_bytes = words.run_bytes;
    words.run_words = INT64_MAX;
  }
  return words;
}

// Panels of other widths take columns by four, through a copy in L1.
void DecodeQuads(const CodeDecoder& decoder, StripCodes codes,
                 const ChunkPanels& to, int64_t column, int64_t first) {
  constexpr int64_t kWords = 16;
  alignas(64) int8_t copy[kWords * kPlaneWordWeights];
  const int64_t tile_n = to.kernel->tile_n;
  const int64_t words = codes.words(), inputs = codes.inputs;
  for (int64_t w = 0; w < words; w += kWords) {
    codes.inputs = std::min(4 * kWords, inputs - 4 * w);
    decoder.decode(codes, {copy, kPlaneWordWeights}, to.sums + column);
    for (int64_t quad = 0; quad < 4; ++quad) {
      const int64_t at = column + 4 * quad;
      int8_t* panel = to.data + at / tile_n * to.panel_bytes + at % tile_n * 4 +
                      (first + w) * tile_n * 4;
      for (int64_t i = 0; i < codes.words(); ++i) {
        std::memcpy(panel + i * tile_n * 4, copy + i * 64 + quad * 16, 16);
      }
    }
    for (int p = 0; p < codes.bits; ++p) codes.planes[p] += kWords;
  }
}

}  // namespace

void DecodeChunk(const CodeDecoder& decoder, const CodedChunk& chunk,
                 const ChunkPanels& to) {
  std::fill_n(to.sums, ChunkStrips(*to.kernel) * kPlaneStripOutputs, 0);
  const bool by_words = to.kernel->strip_n % kPlaneStripOutputs == 0;
  for (int s = 0; s < chunk.count; ++s) {
    const int64_t column = s * kPlaneStripOutputs;
    for (const CodedBlock& block : chunk.strips[s].blocks) {
      const StripCodes codes = block.Strip(chunk.strips[s].strip);
      const int64_t first = block.input / kPlaneWordInputs;
      if (by_words) {
        StripWords words = WordsOf(to, column);
        words.first = first;
        decoder.decode(codes, words, to.sums + column);
      } else {
        DecodeQuads(decoder, codes, to, column, first);
      }
    }
  }
}

}  // namespace stint

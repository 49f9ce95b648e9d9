#pragma once
// A matrix of coded weights as a product reads it: blocks in planes, each with
// its own dictionary and number of bits, and outliers apart. Nothing is owned.

#include <cstdint>
#include <span>

#include "core/tensor/bit_planes.h"
#include "kernels/gemm_codes/code_decoder.h"
#include "stint/status.h"

namespace stint {

struct CodedBlock {
  int64_t output = 0;  // the block's first
  int64_t input = 0;   // likewise, a multiple of 4
  PlaneBlockShape shape;
  int bits = 0;
  const uint64_t* planes[kPlaneMaxBits] = {};  // `bits` of them
  const int8_t* values = nullptr;              // [2^bits]

  // Strip `strip` of 16 outputs.
  StripCodes Strip(int64_t strip) const;
};

// A weight added to that of its code.
struct CodedOutlier {
  int32_t output;
  int32_t input;
  float value;
};

// W [n,k]. Blocks with the same outputs stand side by side in the order of
// their inputs and have all k of them; such bands have all n outputs in order.
// Outliers are in the order of their outputs.
struct CodedMatrix {
  std::span<const CodedBlock> blocks;
  std::span<const CodedOutlier> outliers;
};

// What the description of CodedMatrix asks, as far as numbers go.
Status CheckCodedMatrix(const CodedMatrix& matrix, int64_t n, int64_t k);

// One strip of a band: its blocks along the inputs.
struct CodedStrip {
  std::span<const CodedBlock> blocks;
  int64_t strip;
};

// Neighboring strips, decoded together and multiplied panel by panel.
struct CodedChunk {
  static constexpr int kMaxStrips = 4;
  int64_t output = 0;   // the first of them
  int64_t outputs = 0;  // without padding
  int count = 0;
  CodedStrip strips[kMaxStrips];
};

// Chunks of up to `strips` strips from the first output on. A chunk ends where
// a band does whose outputs are no multiple of 16: columns of a panel have no
// gaps.
class ChunkCursor {
 public:
  ChunkCursor(std::span<const CodedBlock> blocks, int strips)
      : blocks_(blocks), strips_(strips) {
    FindBand();
  }
  // False after the last.
  bool Next(CodedChunk* chunk);

 private:
  void FindBand();

  std::span<const CodedBlock> blocks_;  // from the current band on
  int strips_;
  int64_t band_ = 0;   // blocks of the current band
  int64_t strip_ = 0;  // next of the current band
};

int64_t CountChunks(std::span<const CodedBlock> blocks, int strips);

}  // namespace stint

#pragma once
// One chunk of coded weights, decoded into the packed panels of an int8 kernel.

#include <cstdint>

#include "core/base/checked_math.h"
#include "kernels/gemm_codes/coded_matrix.h"
#include "kernels/gemm_s8/gemm_s8_table.h"

namespace stint {

// Strips and panels both fill a chunk.
constexpr int ChunkStrips(const GemmS8Kernel& kernel) {
  int strips = 1;
  while (strips * kPlaneStripOutputs % kernel.tile_n != 0) ++strips;
  return strips;
}

struct ChunkPanels {
  const GemmS8Kernel* kernel;
  int64_t panel_bytes;
  int8_t* data;   // one panel after the other
  int32_t* sums;  // [16 * strips], of columns
};

// Decodes all strips of `chunk`.
void DecodeChunk(const CodeDecoder& decoder, const CodedChunk& chunk,
                 const ChunkPanels& to);

}  // namespace stint

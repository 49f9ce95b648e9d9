#pragma once
// The copy of a band of an image in bf16, with the padding that windows read.

#include "kernels/conv_blocked_bf16/tile_part.h"

namespace stint {

// Rows [begin, end) of outputs of one image of a batch.
struct ConvTileBand {
  const ConvTileCode* code;
  const ConvBf16Args* args;
  const ConvTilePlan* plan;
  int64_t image;
  GemmRange rows;
};

// [planes][band_in][pitch][lanes], as the plan says.
void CopyConvBand(const ConvTileBand& band, uint16_t* copy);

}  // namespace stint

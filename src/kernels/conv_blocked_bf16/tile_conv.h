#pragma once
// Convolution in bf16 on AMX tiles, weights rounded when packed, sums in fp32:
// any window, stride and dilation of one group on images of any form; and
// depthwise convolution of narrow images on vectors.

#include "kernels/conv_blocked_bf16/tile_part.h"

namespace stint {

class ThreadPool;

bool ConvTilesSupport(const ConvF32Shape& shape, const ConvForms& forms);
int64_t ConvTilesPackedBytes(const ConvF32Shape& shape, ConvForm x);
// Channels of a pixel that a step of the packed weights multiplies.
int64_t ConvTilesLanes(const ConvF32Shape& shape, ConvForm x);
// `w` is [out_channels, group_in, kernel_h, kernel_w].
void ConvTilesPack(const ConvF32Shape& shape, ConvForm x, const float* w,
                   uint16_t* packed, ThreadPool* pool);
int64_t ConvTilesScratchBytes(const ConvF32Shape& shape, ConvForm x,
                              int threads);
void ConvOnTiles(const ConvTileCode& code, const ConvBf16Args& args,
                 const uint16_t* packed, ThreadPool* pool);

}  // namespace stint

#pragma once
// Convolution in bf16 on AMX tiles: the image is rounded to bf16 band by band,
// weights are rounded when packed, sums are fp32. Any window, stride and
// dilation; one group; blocked images of 16 channels.

#include "kernels/conv_blocked_bf16/tile_part.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32.h"

namespace stint {

bool ConvTilesSupport(const ConvF32Shape& shape);
int64_t ConvTilesPackedBytes(const ConvF32Shape& shape);
// `w` is [out_channels, in_channels, kernel_h, kernel_w].
void ConvTilesPack(const ConvF32Shape& shape, const float* w, uint16_t* packed,
                   ThreadPool* pool);
int64_t ConvTilesScratchBytes(const ConvF32Shape& shape);
// `packed` in place of args.w.
void ConvOnTiles(const ConvTileCode& code, const ConvBlockedF32Args& args,
                 const uint16_t* packed, ThreadPool* pool);

}  // namespace stint

#pragma once
// The names of packed layouts, so that weights can be kept in them, and the way
// back from those that only move weights.

#include <span>
#include <string>
#include <string_view>

#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {

// "conv_blocked_f32/direct16": what `kernel.pack` writes.
std::string ConvBlockedF32Layout(const ConvBlockedF32Kernel& kernel);

// A kernel for the shape that reads weights of this layout: the default one
// where it does, else the first. Null when there is none.
const ConvBlockedF32Kernel* FindConvBlockedF32(std::string_view layout,
                                               const ConvF32Shape& shape,
                                               ImageLayout input, Isa cap);

// The layout only moves weights.
bool ConvBlockedF32CanUnpack(std::string_view layout);

// Packed weights back to [out_channels, group_in, kernel_h, kernel_w], whatever
// machine packed them. False when the layout has no way back (Winograd), is not
// known, or `packed` has not its size.
bool ConvBlockedF32Unpack(std::string_view layout, const ConvF32Shape& shape,
                          std::span<const float> packed, float* w);

}  // namespace stint

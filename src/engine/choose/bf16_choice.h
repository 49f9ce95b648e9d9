#pragma once
// Which kernel computes a convolution with weights in bf16 on blocked images,
// and why.

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"

namespace stint {

// Neither member is set where no kernel takes these images.
ConvBlockedBf16Kernel ChooseBf16(const ConvF32Shape& shape,
                                 const ConvForms& forms, Isa isa);

// Whether the layer runs on these images, and is faster the narrower they are.
bool GainsByNarrowImages(const ConvF32Shape& shape, const ConvForms& forms,
                         Isa isa);

KernelChoice ExplainBf16(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, const ConvForms& forms,
                         Isa isa);

}  // namespace stint

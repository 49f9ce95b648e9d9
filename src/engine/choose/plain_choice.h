#pragma once
// Kernels of convolutions on plain images and on bit planes: each has one per
// instruction set.

#include "engine/bind/kernel_choice.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/gemm_codes/gemm_codes.h"

namespace stint {

const ConvF32Kernel& ChoosePlain(const ConvF32Shape& shape, Isa isa);
KernelChoice ExplainPlain(const ConvF32Shape& shape, Isa isa);

KernelChoice ExplainConvCodes(const GemmCodesKernel& kernel);

}  // namespace stint

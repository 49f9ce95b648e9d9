#pragma once
// Normalization in fp32. Layer: y = (x - mean) / sqrt(var + eps) * scale + bias
// over rows of n; RMS: y = x / sqrt(mean of x^2 + eps) * scale + bias; channel:
// y = act(x * scale[c] + shift[c]), which is batch normalization at inference.
// In place is allowed.

#include <cstdint>

#include "kernels/norm_f32/norm_f32_table.h"

namespace stint {

class ThreadPool;

// `run` is kernel.layer or kernel.rms.
void RowNormF32(RowNormF32Fn run, const RowNormF32Args& args, ThreadPool* pool);
void ChannelNormF32(const NormF32Kernel& kernel, const ChannelNormF32Args& args,
                    ThreadPool* pool);

}  // namespace stint

#pragma once
// The fp32 normalization kernels, best first.

#include <cstdint>
#include <limits>
#include <span>

#include "core/platform/cpu_info.h"

namespace stint {

struct RowNormF32Args {
  const float* x = nullptr;  // [rows, n]
  float* y = nullptr;        // [rows, n]
  int64_t rows = 0;
  int64_t n = 0;
  const float* scale = nullptr;  // [n], null is 1
  const float* bias = nullptr;   // [n], null is 0
  float epsilon = 1e-5f;
  float* mean = nullptr;     // [rows] if wanted; layer only
  float* inv_std = nullptr;  // [rows] if wanted
};
using RowNormF32Fn = void (*)(const RowNormF32Args& args);

struct ChannelNormF32Args {
  const float* x = nullptr;  // [outer, channels, inner]
  float* y = nullptr;
  int64_t outer = 0;
  int64_t channels = 0;
  int64_t inner = 0;
  const float* scale = nullptr;  // [channels]
  const float* shift = nullptr;  // [channels]
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
  // Planes [begin, end) of the outer * channels, or of `outer` when inner is 1.
  int64_t begin = 0;
  int64_t end = 0;
};
using ChannelNormF32Fn = void (*)(const ChannelNormF32Args& args);

struct NormF32Kernel {
  const char* name;
  Isa isa;
  RowNormF32Fn layer;
  RowNormF32Fn rms;
  ChannelNormF32Fn channel;
};

std::span<const NormF32Kernel> NormF32Table();
const NormF32Kernel& PickNormF32(Isa cap);

}  // namespace stint

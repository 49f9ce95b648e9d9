#pragma once
// The blocked fp32 convolution kernels, best first, the reference last.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/platform/cpu_info.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/conv_blocked_f32/conv_schedule.h"
#include "kernels/conv_blocked_f32/depthwise.h"
#include "kernels/conv_blocked_f32/tiles.h"
#include "kernels/conv_blocked_f32/winograd/winograd.h"

namespace stint {

enum class ImageLayout { kBlocked, kPlain };

struct ConvBlockedF32Kernel {
  const char* name;       // primitive and ISA: "direct_avx512"
  const char* primitive;  // "pointwise", "direct", "first", "depthwise", ...
  Isa isa;
  int block;  // channels per block of x and y
  ImageLayout input;
  bool (*supports)(const ConvBlockedF32Kernel& kernel,
                   const ConvF32Shape& shape);
  int64_t (*packed_bytes)(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& shape);
  // `w` is [out_channels, group_in, kernel_h, kernel_w].
  void (*pack)(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& shape,
               const float* w, float* packed, ThreadPool* pool);
  int64_t (*scratch_bytes)(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads);
  void (*run)(const ConvBlockedF32Kernel& kernel,
              const ConvBlockedF32Args& args, ThreadPool* pool);
  // What the row runs inside; null where it does not use one.
  const ConvTileSet* tiles;
  ConvBlockedDepthwiseFn depthwise;
  const WinogradSet* winograd;
  // Rows of the table leave all of it to the kernel; copies may say more.
  ConvSchedule schedule = {};
};

std::span<const ConvBlockedF32Kernel> ConvBlockedF32Table();

// Channels per block on a machine of level `cap`.
int ConvBlockedF32Block(Isa cap);

// The default for this shape and layout of x on a machine of level `cap`, or
// null where the groups do not fit the blocks. Any other row with the same
// block may be run instead.
const ConvBlockedF32Kernel* PickConvBlockedF32(const ConvF32Shape& shape,
                                               ImageLayout input, Isa cap);

// All rows that fit, one per primitive, in the table's order; without the
// reference.
std::vector<const ConvBlockedF32Kernel*> FittingConvBlockedF32(
    const ConvF32Shape& shape, ImageLayout input, Isa cap);

// The names of the primitives in the table's order: "depthwise", "direct", ...
std::vector<std::string_view> ConvPrimitives();

}  // namespace stint

#include <algorithm>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_blocked_f32/direct/direct.h"
#include "kernels/geometry/blocking.h"

namespace stint {
namespace {

// The weights of one output block as [planes, kernel_h, kernel_w, lanes, block]
// with the channels that exist.
void PackBlock(const ConvF32Shape& s, int64_t lanes, GemmRange outs,
               const float* w, int64_t block, float* to) {
  const int64_t used = outs.end - outs.begin;
  const int64_t stride = s.group_in() * s.taps();
  for (int64_t first = 0; first < s.group_in(); first += lanes) {
    const int64_t last = std::min(first + lanes, s.group_in());
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      for (int64_t c = first; c < last; ++c, to += block) {
        const float* from = w + outs.begin * stride + c * s.taps() + tap;
        for (int64_t o = 0; o < used; ++o) to[o] = from[o * stride];
        std::fill(to + used, to + block, 0.0f);
      }
    }
  }
}

}  // namespace

int64_t DirectPackedBytes(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& s) {
  return s.groups * RoundUp(s.group_out(), kernel.block) * s.group_in() *
         s.taps() * int64_t{sizeof(float)};
}

void DirectPackBlock(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                     int64_t b, const float* w, float* packed) {
  const int64_t block = kernel.block;
  const int64_t lanes = kernel.input == ImageLayout::kPlain ? 1 : block;
  const int64_t out_blocks = CeilDiv(s.group_out(), block);
  const int64_t base = b / out_blocks * s.group_out();
  const int64_t first = b % out_blocks * block;
  const int64_t last = std::min(first + block, s.group_out());
  PackBlock(s, lanes, {base + first, base + last}, w, block, packed);
}

void DirectPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                const float* w, float* packed, ThreadPool* pool) {
  const int64_t blocks = s.groups * CeilDiv(s.group_out(), kernel.block);
  const int64_t floats = s.group_in() * s.taps() * kernel.block;
  pool->ParallelFor(blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      DirectPackBlock(kernel, s, b, w, packed + b * floats);
    }
  });
}

}  // namespace stint

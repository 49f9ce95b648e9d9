#include "kernels/conv_blocked_bf16/narrow.h"

#include <cstring>
#include <vector>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/direct/direct.h"

namespace stint {
namespace {

// In front of the weights: the factor they are multiplied by when widened, and
// room up to a cache line.
constexpr int64_t kHeader = 32;

int64_t Weights(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s) {
  return kernel.packed_bytes(kernel, s) / int64_t{sizeof(float)};
}

void RoundAll(const float* from, int64_t count, uint16_t* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = FloatToBFloat16(from[i]);
}

void PackDirect(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                const float* w, uint16_t* packed, ThreadPool* pool) {
  const int64_t blocks = s.groups * CeilDiv(s.group_out(), kernel.block);
  const int64_t floats = s.group_in() * s.taps() * kernel.block;
  pool->ParallelFor(blocks, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> block(static_cast<size_t>(floats));
    for (int64_t b = begin; b < end; ++b) {
      DirectPackBlock(kernel, s, b, w, block.data());
      RoundAll(block.data(), floats, packed + b * floats);
    }
  });
}

}  // namespace

bool TakesNarrowWeights(const ConvBlockedF32Kernel& kernel) {
  return kernel.run == DirectConv || kernel.run == WinogradConv ||
         kernel.run == BlockedDepthwiseConv;
}

int64_t NarrowPackedBytes(const ConvBlockedF32Kernel& kernel,
                          const ConvF32Shape& s) {
  return (kHeader + Weights(kernel, s)) * int64_t{sizeof(uint16_t)};
}

void NarrowPack(const ConvBlockedF32Kernel& kernel, const ConvF32Shape& s,
                const float* w, uint16_t* packed, ThreadPool* pool) {
  float scale = 1;
  uint16_t* weights = packed + kHeader;
  if (kernel.winograd) {
    scale = WinogradPackNarrow(kernel, s, w, weights, pool);
  } else if (kernel.tiles) {
    PackDirect(kernel, s, w, weights, pool);
  } else {
    std::vector<float> plain(static_cast<size_t>(Weights(kernel, s)));
    kernel.pack(kernel, s, w, plain.data(), pool);
    RoundAll(plain.data(), Weights(kernel, s), weights);
  }
  std::memset(packed, 0, kHeader * sizeof(uint16_t));
  std::memcpy(packed, &scale, sizeof(scale));
}

int64_t NarrowScratchBytes(const ConvBlockedF32Kernel& kernel,
                           const ConvF32Shape& s, int threads) {
  const int64_t bytes = kernel.scratch_bytes(kernel, s, threads);
  if (kernel.winograd) return bytes;
  if (kernel.tiles) return bytes + DirectPanelBytes(kernel, s, threads);
  return bytes + kernel.packed_bytes(kernel, s);
}

void NarrowConv(const ConvBlockedF32Kernel& kernel, ConvBlockedF32Args args,
                const uint16_t* packed, ThreadPool* pool) {
  const uint16_t* weights = packed + kHeader;
  if (kernel.tiles == nullptr) {
    // Depthwise and reference: few weights, widened all at once.
    const int64_t count = Weights(kernel, args.shape);
    float* w = args.scratch;
    for (int64_t i = 0; i < count; ++i) w[i] = BFloat16ToFloat(weights[i]);
    args.w = w;
    args.scratch = w + count;
    return kernel.run(kernel, args, pool);
  }
  args.narrow.w = weights;
  std::memcpy(&args.narrow.scale, packed, sizeof(float));
  args.narrow.widen =
      kernel.winograd ? kernel.tiles->widen_f16 : kernel.tiles->widen_bf16;
  kernel.run(kernel, args, pool);
}

}  // namespace stint

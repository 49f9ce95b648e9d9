#include "kernels/conv_blocked_f32/gate.h"

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"

namespace stint {
namespace {

template <int kBlock>
void GateRows(const float* w, const float* gate, int64_t rows, float* to) {
  for (int64_t c = 0; c < rows; ++c) {
    const float factor = gate[c];
    for (int i = 0; i < kBlock; ++i) {
      to[c * kBlock + i] = w[c * kBlock + i] * factor;
    }
  }
}

}  // namespace

void GateConvWeights(const GateWeightsArgs& args, float* to, ThreadPool* pool) {
  const int64_t blocks = CeilDiv(args.out_channels, args.block);
  const int64_t floats = args.in_channels * args.block;
  // Handing a part to another thread costs as much as some thousand products.
  constexpr int64_t kFloatsPerPart = 8192;
  const int64_t grain = CeilDiv(kFloatsPerPart, floats);
  pool->ParallelFor(blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const float* w = args.w + b * floats;
      float* y = to + b * floats;
      if (args.block == 16) {
        GateRows<16>(w, args.gate, args.in_channels, y);
      } else if (args.block == 8) {
        GateRows<8>(w, args.gate, args.in_channels, y);
      } else {
        for (int64_t i = 0; i < floats; ++i) {
          y[i] = w[i] * args.gate[i / args.block];
        }
      }
    }
  });
}

}  // namespace stint

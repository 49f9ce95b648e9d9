#pragma once
// Weights of a pointwise convolution times one number per input channel, which
// is the convolution of an image whose channels are multiplied by it.

#include <cstdint>

namespace stint {

class ThreadPool;

struct GateWeightsArgs {
  const float* w = nullptr;     // as "pointwise" packs them: [out blocks,
                                // in_channels, block]
  const float* gate = nullptr;  // [in_channels]
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t block = 0;
};

void GateConvWeights(const GateWeightsArgs& args, float* to, ThreadPool* pool);

}  // namespace stint

#pragma once
// The sums behind a least-squares fit of a layer: what its windows hold at many
// places, multiplied with each other and with what it should give there.

#include <vector>

#include "core/platform/thread_pool.h"
#include "model/ops/linear/conv.h"
#include "stint/tensor.h"

namespace stint {

// A layer over images [n, channels, rows, columns]. Rows of matrices are images
// of one pixel.
struct FittedLayer {
  Window window;                // resolved, of two dimensions
  std::vector<Tensor> inputs;   // float32, one per sample
  std::vector<Tensor> outputs;  // that it should give
};

struct NormalEquations {
  int64_t terms = 0;  // of one output: its weights, and 1 for its bias
  int64_t outputs = 0;
  // Means over the places that were looked at.
  std::vector<float> squares;   // [terms, terms]
  std::vector<float> products;  // [outputs, terms]
};

// Channels of a group: all of them where there is one group.
struct ChannelRange {
  int64_t first = 0;
  int64_t count = 0;
};

// Over all places, or `most_places` of them, evenly spread and the same each
// time.
NormalEquations SumProducts(const FittedLayer& layer, ChannelRange in,
                            ChannelRange out, int64_t most_places,
                            ThreadPool* pool);

}  // namespace stint

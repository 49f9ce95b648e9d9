#pragma once
// Puts graphs together layer by layer, with seeded weights whose size keeps
// activations near 1 however deep the network is.

#include <memory>
#include <string>

#include "core/base/random.h"
#include "model/graph/graph.h"

namespace stint {

class NetworkBuilder {
 public:
  explicit NetworkBuilder(uint64_t seed)
      : graph_(std::make_unique<Graph>()), random_(seed) {}

  // [batch, 3, size, size] with a free batch.
  ValueId Picture(int64_t size);

  struct Convolution {
    int64_t in = 0, out = 0, kernel = 1, stride = 1, groups = 1;
    double gain = 2;  // of the variance
  };
  // Keeps the size of the picture up to the stride; with a bias.
  ValueId Conv(ValueId x, const Convolution& c);
  ValueId Relu(ValueId x);
  ValueId Relu6(ValueId x);
  ValueId Sum(ValueId a, ValueId b);
  ValueId MaxPool3x3(ValueId x);  // stride 2
  // Mean over the picture, then a linear layer: the output `logits`.
  void Classifier(ValueId x, int64_t features, int64_t classes);

  Tensor Normal(Shape shape, double deviation);
  std::unique_ptr<Graph> Finish() { return std::move(graph_); }

 private:
  ValueId Weight(Shape shape, double deviation);
  std::string Name(const char* op);

  std::unique_ptr<Graph> graph_;
  Random random_;
  int count_ = 0;
};

}  // namespace stint

#pragma once
// Networks by name, made on the spot with seeded weights: the shapes of known
// ones, their tiny twins, and families in which depth and width vary.

#include <cstdint>
#include <string>
#include <vector>

#include "stint/model.h"

namespace stint {

// resnet50, mobilenetv2, minilm (6 layers of 384), bert-base; encoder-L4-H256
// and cnn-D8-W64 with any depth and width. "/tiny" after a name gives the same
// graph with minimal widths (and pictures), whose kernels cost next to nothing.
// kInvalidArgument lists the names.
Result<Model> MakeNetwork(const std::string& name, uint64_t seed);

// What a network costs to run once: by the graph, for inputs of these sizes.
struct NetworkSize {
  int64_t macs = 0;
  int64_t nodes = 0;
};
Result<NetworkSize> SizeOf(const Model& model, int64_t batch, int64_t sequence);

}  // namespace stint

#pragma once
// A part of a model that was trained to answer by itself.

#include <vector>

namespace stint {

struct SubNetwork {
  std::vector<int> blocks;  // transformer blocks that are kept, by number
  int slices = 0;           // of each of them, from the first on
  // What it costs to use it in place of the whole, on the scale of shards'
  // importance; 0 when not measured.
  float loss = 0;
  bool operator==(const SubNetwork&) const = default;
};

}  // namespace stint

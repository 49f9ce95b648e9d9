#pragma once
// A node's constant weights in the layout of the kernel that reads them.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "stint/tensor.h"

namespace stint {

struct PackedWeights {
  // Family and layout: "gemm_f32/panels48". Equal names are equal layouts of
  // equal weights; what differs between machines is part of the name.
  std::string layout;
  std::vector<Tensor> parts;
};

// Part `i` is there and has that many elements of that type.
inline bool HasPart(const PackedWeights& packed, size_t i, DType dtype,
                    int64_t size) {
  return i < packed.parts.size() && packed.parts[i].dtype() == dtype &&
         packed.parts[i].size() == size && packed.parts[i].has_elements();
}

// By the name of the node.
using PackedTable = std::map<std::string, PackedWeights, std::less<>>;

}  // namespace stint

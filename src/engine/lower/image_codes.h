#pragma once
// How the images of a graph are coded in bytes.

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "engine/lower/activation_ranges.h"

namespace stint {

struct ImageCodes {
  // By value of the graph; nothing where it is not known.
  std::vector<std::optional<ByteCode>> codes;
  // Of values that are weights: a scale per output channel, [oc] in float32.
  // Others are scaled by their largest.
  std::map<ValueId, Tensor> weight_scales;

  // Fills in what `ranges` know and this does not.
  void Complete(const ActivationRanges& ranges) {
    codes.resize(std::max(codes.size(), ranges.size()));
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (!codes[i] && ranges[i]) codes[i] = CodeOf(*ranges[i]);
    }
  }
};

}  // namespace stint

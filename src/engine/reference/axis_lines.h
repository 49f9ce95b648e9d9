#pragma once
// A tensor seen as lines along one axis: [outer, length, inner].

#include <cstdint>

#include "stint/tensor.h"

namespace stint {

struct AxisLines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  // axis in [0, rank); a scalar is one line of one element.
  AxisLines(const Shape& shape, int64_t axis) {
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t i = static_cast<int64_t>(d);
      (i < axis ? outer : i == axis ? length : inner) *= shape[d];
    }
  }

  // visit(index of the line's first element); elements are `inner` apart.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) visit(o * length * inner + i);
    }
  }
};

}  // namespace stint

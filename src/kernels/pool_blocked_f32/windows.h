#pragma once
// Which inputs of an axis a pooling window reads, and how many of them count.

#include <algorithm>
#include <cstdint>

#include "core/base/checked_math.h"
#include "kernels/simd/padded_plane.h"

namespace stint {

struct WindowTaps {
  int64_t begin;
  int64_t end;
};

// The taps of output `o` that read inputs within [first, last).
inline WindowTaps TapsWithin(const WindowAxis& axis, int64_t o, int64_t first,
                             int64_t last) {
  const int64_t start = o * axis.stride - axis.pad;
  const int64_t begin = std::clamp<int64_t>(
      CeilDiv(first - start, axis.dilation), 0, axis.kernel);
  const int64_t end = std::clamp<int64_t>(CeilDiv(last - start, axis.dilation),
                                          begin, axis.kernel);
  return {begin, end};
}

// Inputs that count in an average: those in the image, or, with `include_pad`,
// also those in the padding.
inline int64_t CountOfWindow(const WindowAxis& axis, int64_t o,
                             bool include_pad, int64_t pad_end) {
  const WindowTaps taps =
      include_pad ? TapsWithin(axis, o, -axis.pad, axis.in + pad_end)
                  : TapsWithin(axis, o, 0, axis.in);
  return taps.end - taps.begin;
}

}  // namespace stint

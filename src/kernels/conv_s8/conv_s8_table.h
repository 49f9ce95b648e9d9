#pragma once
// The byte convolution kernels, best first, the reference last.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/conv_s8/conv_s8.h"
#include "kernels/conv_s8/tiles.h"

namespace stint {

struct ConvS8Kernel {
  const char* name;       // primitive and ISA: "direct_vnni"
  const char* primitive;  // "tiles", "direct", "depthwise", ...
  Isa isa;
  bool (*supports)(const ConvF32Shape& shape);
  int64_t (*packed_bytes)(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
                          int64_t x_pixel);
  // `packed` is 64-byte aligned.
  void (*pack)(const ConvS8Kernel& kernel, const ConvF32Shape& shape,
               const ConvS8Weights& weights, int8_t* packed);
  int64_t (*scratch_bytes)(const ConvS8Kernel& kernel,
                           const ConvF32Shape& shape, int64_t x_pixel,
                           int threads);
  void (*run)(const ConvS8Kernel& kernel, const ConvS8Args& args,
              ThreadPool* pool);
  // What the row runs inside; null where it does not use one.
  const ConvS8TileSet* tiles;
  const ConvS8DepthwiseSet* depthwise;
  const ConvS8SparseSet* sparse = nullptr;
  const ConvS8WinogradSet* winograd = nullptr;
};

std::span<const ConvS8Kernel> ConvS8Table();
// Kernels that skip groups of 4 input channels whose weights are all 0: for
// weights, not for shapes, to choose. Best first.
std::span<const ConvS8Kernel> ConvS8SparseTable();
// Winograd's algorithm, for weights of which WinogradS8Fits holds and images of
// which WinogradS8Gains does. Best first.
std::span<const ConvS8Kernel> ConvS8WinogradTable();

// The default for this shape on a machine of level `cap`.
const ConvS8Kernel& PickConvS8(const ConvF32Shape& shape, Isa cap);

}  // namespace stint

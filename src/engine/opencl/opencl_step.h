#pragma once
// What lowering gives for a node: launches of kernels, with buffers by
// number. Nothing here touches the device.

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/opencl/opencl_api.h"
#include "model/graph/graph.h"

namespace stint {

// Of a program; see OpenClBuffers.
struct BufferNumber {
  int index = -1;
};
// Memory that the items of a group share: so many floats for each of them.
struct LocalFloats {
  int per_item = 0;
};

using Int4 = std::array<cl_int, 4>;
using Int8 = std::array<cl_int, 8>;
using Float2 = std::array<cl_float, 2>;
using Float4 = std::array<cl_float, 4>;
using OpenClArgument = std::variant<BufferNumber, LocalFloats, cl_int, cl_float,
                                    Int4, Int8, Float2, Float4>;

struct OpenClLaunch {
  std::string kernel;
  std::vector<OpenClArgument> arguments;
  // Work-items; the first is rounded up to whole groups, with `light` also the
  // second.
  std::array<int64_t, 3> items = {1, 1, 1};
  bool counts_groups = false;  // items[0] is groups, not items
  bool light = false;  // an item has little to do: groups should be large
};

struct OpenClStep {
  NodeId node;
  OpenClLaunch launch;
};

}  // namespace stint

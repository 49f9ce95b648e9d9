#pragma once
// A graph bound to input shapes on an OpenCL device: kernels with their
// arguments set, and buffers in one arena.

#include <array>
#include <vector>

#include "engine/opencl/node_lowering.h"
#include "engine/opencl/opencl_device.h"

namespace stint {

// A step that only needs to be put into the queue.
struct BoundOpenClStep {
  NodeId node;
  OpenClKernel kernel;
  std::array<size_t, 3> items = {1, 1, 1};
  std::array<size_t, 3> group = {1, 1, 1};
};

struct OpenClProgram {
  struct Output {
    ValueType type;
    OpenClBuffer buffer;  // null: known before the run
    Value known;
  };
  std::vector<ValueType> signature;  // types of the inputs it is bound to
  std::vector<OpenClBuffer> inputs;  // null where no step reads it
  std::vector<BoundOpenClStep> steps;
  std::vector<Output> outputs;
  // Of all programs that were ever bound only some stay; these keep what their
  // steps point to.
  std::vector<OpenClBuffer> buffers;
  int64_t arena_bytes = 0;
};

// Places the buffers of `draft` and makes its kernels.
Status BindSteps(const OpenClDevice& device, const OpenClDraft& draft,
                 OpenClProgram* program);

}  // namespace stint

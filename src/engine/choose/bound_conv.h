#pragma once
// A chosen convolution made ready for one shape: a row of the kernel table with
// its schedule, or code that was generated for it.

#include <memory>

#include "engine/choose/conv_choice.h"
#include "kernels/conv_generated_f32/generated_conv.h"

namespace stint {

struct BoundConv {
  ConvBlockedF32Kernel kernel = {};
  std::shared_ptr<const GeneratedConv> code = nullptr;  // null: the kernel runs

  int64_t ScratchBytes(const ConvF32Shape& shape, int threads) const {
    return code ? 0 : kernel.scratch_bytes(kernel, shape, threads);
  }
  void Run(const ConvBlockedF32Args& args, ThreadPool* pool) const {
    if (code) return code->Run(args, pool);
    kernel.run(kernel, args, pool);
  }
};

// `choice.kernel` is not null. kUnsupported where code cannot be generated:
// with a curve as activation, or where memory may not be executed.
Result<BoundConv> BindConv(const ConvChoice& choice, const ConvF32Shape& shape,
                           const Activation& act, Isa isa);

}  // namespace stint

#pragma once
// The fp32 convolution kernels, best first: depthwise where it applies, then
// products over gathered columns.

#include <cstdint>
#include <span>

#include "core/platform/cpu_info.h"
#include "kernels/conv_f32/columns.h"
#include "kernels/conv_f32/conv_f32.h"
#include "kernels/conv_f32/depthwise.h"
#include "kernels/gemm_f32/gemm_f32_table.h"

namespace stint {

struct ConvF32Kernel {
  const char* name;
  Isa isa;
  bool (*supports)(const ConvF32Shape& shape);
  int64_t (*scratch_bytes)(const ConvF32Kernel& kernel,
                           const ConvF32Shape& shape, int threads);
  void (*run)(const ConvF32Kernel& kernel, const ConvF32Args& args,
              ThreadPool* pool);
  // What the row runs inside; null where it does not use one.
  const GemmF32Kernel* gemm;
  CopyColumnsFn copy;
  DepthwiseFn depthwise;
};

std::span<const ConvF32Kernel> ConvF32Table();

// The best row for this shape on a machine of level `cap`. Called once when a
// session is prepared; then kernel.run(kernel, args, pool) each time.
const ConvF32Kernel& PickConvF32(const ConvF32Shape& shape, Isa cap);

}  // namespace stint

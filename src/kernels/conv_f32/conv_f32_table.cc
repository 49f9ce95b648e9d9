#include "kernels/conv_f32/conv_f32_table.h"

#include "kernels/conv_f32/reference.h"
#include "kernels/geometry/pick_best.h"

namespace stint {

void CopyColumnsAvx512(const CopyColumns& copy);
void CopyColumnsAvx2(const CopyColumns& copy);
void CopyColumnsNeon(const CopyColumns& copy);
void CopyColumnsGeneric(const CopyColumns& copy);
void DepthwiseAvx512(const DepthwisePlane& plane);
void DepthwiseAvx2(const DepthwisePlane& plane);
void DepthwiseNeon(const DepthwisePlane& plane);
void DepthwiseGeneric(const DepthwisePlane& plane);

namespace {

bool Any(const ConvF32Shape&) { return true; }

int64_t NoScratch(const ConvF32Kernel&, const ConvF32Shape&, int) { return 0; }

void RunReference(const ConvF32Kernel&, const ConvF32Args& args, ThreadPool*) {
  ReferenceConvF32(args);
}

ConvF32Kernel Depthwise(const char* name, Isa isa, DepthwiseFn run,
                        CopyColumnsFn copy) {
  return {name,
          isa,
          DepthwiseSupports,
          DepthwiseScratchBytes,
          DepthwiseConv,
          nullptr,
          copy,
          run};
}

ConvF32Kernel Columns(const char* name, Isa isa, CopyColumnsFn copy) {
  return {name,        isa,
          Any,         ColumnsConvScratchBytes,
          ColumnsConv, &PickGemmF32(isa),
          copy,        nullptr};
}

}  // namespace

std::span<const ConvF32Kernel> ConvF32Table() {
  static const ConvF32Kernel table[] = {
#if defined(__x86_64__)
    Depthwise("depthwise_avx512", Isa::kAvx512, DepthwiseAvx512,
              CopyColumnsAvx512),
    Columns("columns_avx512", Isa::kAvx512, CopyColumnsAvx512),
    Depthwise("depthwise_avx2", Isa::kAvx2, DepthwiseAvx2, CopyColumnsAvx2),
    Columns("columns_avx2", Isa::kAvx2, CopyColumnsAvx2),
#elif defined(__aarch64__)
    Depthwise("depthwise_neon", Isa::kBaseline, DepthwiseNeon, CopyColumnsNeon),
    Columns("columns_neon", Isa::kBaseline, CopyColumnsNeon),
#endif
    Depthwise("depthwise_generic", Isa::kBaseline, DepthwiseGeneric,
              CopyColumnsGeneric),
    Columns("columns_generic", Isa::kBaseline, CopyColumnsGeneric),
    {"reference", Isa::kBaseline, Any, NoScratch, RunReference, nullptr,
     nullptr, nullptr},
  };
  return table;
}

const ConvF32Kernel& PickConvF32(const ConvF32Shape& shape, Isa cap) {
  return PickBest(ConvF32Table(), cap,
                  [&](const auto& row) { return row.supports(shape); });
}

}  // namespace stint

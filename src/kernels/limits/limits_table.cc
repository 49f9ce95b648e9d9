#include "kernels/geometry/pick_best.h"
#include "kernels/limits/limits.h"
#include "kernels/limits/loops.h"

namespace stint {

void SpinDotsVnni(int64_t steps);
void SpinFmaAvx512(int64_t steps);
float ReadFloatsAvx512(const float* data, int64_t count);
void SpinFmaAvx2(int64_t steps);
float ReadFloatsAvx2(const float* data, int64_t count);
void SpinFmaGeneric(int64_t steps);
float ReadFloatsGeneric(const float* data, int64_t count);

namespace {

// Operations of one step with vectors of `lanes` elements.
constexpr double Ops(int lanes) { return 2.0 * kLimitSums * lanes; }

constexpr LimitLoops kTable[] = {
#if defined(__x86_64__)
    {"vnni", Isa::kVnni, SpinFmaAvx512, Ops(16), SpinDotsVnni, Ops(64),
     ReadFloatsAvx512},
    {"avx512", Isa::kAvx512, SpinFmaAvx512, Ops(16), nullptr, 0,
     ReadFloatsAvx512},
    {"avx2", Isa::kAvx2, SpinFmaAvx2, Ops(8), nullptr, 0, ReadFloatsAvx2},
#endif
    {"generic", Isa::kBaseline, SpinFmaGeneric, Ops(4), nullptr, 0,
     ReadFloatsGeneric},
};

}  // namespace

std::span<const LimitLoops> LimitLoopsTable() { return kTable; }

const LimitLoops& PickLimitLoops(Isa cap) { return PickBest(kTable, cap); }

}  // namespace stint

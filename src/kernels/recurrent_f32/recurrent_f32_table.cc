#include "kernels/recurrent_f32/recurrent_f32_table.h"

#include "core/base/check.h"
#include "kernels/recurrent_f32/reference.h"

namespace stint {

void RecurrentF32Avx512(const RecurrentBlock& block);
void RecurrentF32Avx2(const RecurrentBlock& block);
void RecurrentF32Neon(const RecurrentBlock& block);
void RecurrentF32Generic(const RecurrentBlock& block);

namespace {

constexpr RecurrentF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, 16, RecurrentF32Avx512},
    {"avx2", Isa::kAvx2, 8, RecurrentF32Avx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, 4, RecurrentF32Neon},
#endif
    {"generic", Isa::kBaseline, 4, RecurrentF32Generic},
    {"reference", Isa::kBaseline, 1, ReferenceRecurrentF32},
};

}  // namespace

std::span<const RecurrentF32Kernel> RecurrentF32Table() { return kTable; }

const RecurrentF32Kernel& PickRecurrentF32(Isa cap) {
  for (const RecurrentF32Kernel& kernel : kTable) {
    if (kernel.isa <= cap) return kernel;
  }
  STINT_CHECK(false);
}

}  // namespace stint

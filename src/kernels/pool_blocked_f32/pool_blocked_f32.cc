#include "kernels/pool_blocked_f32/pool_blocked_f32.h"

#include "core/base/checked_math.h"
#include "core/platform/thread_pool.h"
#include "kernels/geometry/pick_best.h"
#include "kernels/pool_blocked_f32/reference.h"

namespace stint {

void MaxPoolBlockedAvx512(const PoolBlockedRow& row);
void MaxPoolBlockedAvx2(const PoolBlockedRow& row);
void MaxPoolBlockedNeon(const PoolBlockedRow& row);
void MaxPoolBlockedGeneric(const PoolBlockedRow& row);
void MaxPoolNarrowAvx512(const PoolNarrowRow& row);
void MaxPoolNarrowAvx2(const PoolNarrowRow& row);
void MaxPoolNarrowNeon(const PoolNarrowRow& row);
void MaxPoolNarrowGeneric(const PoolNarrowRow& row);
void AveragePoolBlockedAvx512(const PoolBlockedRow& row);
void AveragePoolBlockedAvx2(const PoolBlockedRow& row);
void AveragePoolBlockedNeon(const PoolBlockedRow& row);
void AveragePoolBlockedGeneric(const PoolBlockedRow& row);
void MeanBlockedAvx512(const float* x, int64_t n, float* y);
void MeanBlockedAvx2(const float* x, int64_t n, float* y);
void MeanBlockedNeon(const float* x, int64_t n, float* y);
void MeanBlockedGeneric(const float* x, int64_t n, float* y);

namespace {

// 8K floats take about 2 us, ten times what a spinning worker takes to join.
constexpr int64_t kGrain = 8 * 1024;

constexpr PoolBlockedF32Kernel kTable[] = {
#if defined(__x86_64__)
    {"avx512", Isa::kAvx512, 16, MaxPoolBlockedAvx512, AveragePoolBlockedAvx512,
     MeanBlockedAvx512, MaxPoolNarrowAvx512},
    {"avx2", Isa::kAvx2, 8, MaxPoolBlockedAvx2, AveragePoolBlockedAvx2,
     MeanBlockedAvx2, MaxPoolNarrowAvx2},
#elif defined(__aarch64__)
    {"neon", Isa::kBaseline, 8, MaxPoolBlockedNeon, AveragePoolBlockedNeon,
     MeanBlockedNeon, MaxPoolNarrowNeon},
#endif
    {"generic", Isa::kBaseline, 8, MaxPoolBlockedGeneric,
     AveragePoolBlockedGeneric, MeanBlockedGeneric, MaxPoolNarrowGeneric},
    {"reference", Isa::kBaseline, kReferencePoolBlock, ReferenceMaxBlocked,
     ReferenceAverageBlocked, ReferenceMeanBlocked, ReferenceMaxNarrow},
};

}  // namespace

std::span<const PoolBlockedF32Kernel> PoolBlockedF32Table() { return kTable; }

const PoolBlockedF32Kernel& PickPoolBlockedF32(Isa cap) {
  return PickBest(kTable, cap);
}

void PoolBlockedF32(const PoolBlockedF32Kernel& kernel, const PoolF32Args& args,
                    ThreadPool* pool) {
  const auto run = args.kind == PoolKind::kMax ? kernel.max : kernel.average;
  const int64_t in_floats = args.h.in * args.w.in * kernel.block;
  const int64_t out_floats = args.w.out * kernel.block;
  const int64_t row_work = out_floats * args.h.kernel * args.w.kernel;
  pool->ParallelFor(
      args.planes * args.h.out, CeilDiv(kGrain, row_work),
      [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          run({&args, r % args.h.out, args.x + r / args.h.out * in_floats,
               args.y + r * out_floats});
        }
      });
}

void MaxPoolNarrow(const PoolBlockedF32Kernel& kernel, const PoolF32Args& args,
                   const uint16_t* x, uint16_t* y, ThreadPool* pool) {
  const int64_t in = args.h.in * args.w.in * kPoolNarrowBlock;
  const int64_t out = args.w.out * kPoolNarrowBlock;
  const int64_t row_work = out * args.h.kernel * args.w.kernel;
  pool->ParallelFor(
      args.planes * args.h.out, CeilDiv(kGrain, row_work),
      [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          kernel.narrow_max(
              {&args, r % args.h.out, x + r / args.h.out * in, y + r * out});
        }
      });
}

void GlobalAverageBlockedF32(const PoolBlockedF32Kernel& kernel,
                             const GlobalAverageF32Args& args,
                             ThreadPool* pool) {
  if (args.n == 0) return;
  const int64_t floats = args.n * kernel.block;
  pool->ParallelFor(
      args.planes, CeilDiv(kGrain, floats), [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          kernel.mean(args.x + p * floats, args.n, args.y + p * kernel.block);
        }
      });
}

}  // namespace stint

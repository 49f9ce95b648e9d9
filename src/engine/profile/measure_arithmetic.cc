#include "core/platform/thread_pool.h"
#include "engine/profile/best_rate.h"
#include "engine/profile/measure_device.h"
#include "kernels/gemm_bf16/gemm_bf16.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/limits/limits.h"

namespace stint {
namespace {

constexpr double kMs = 80;  // for each figure
constexpr double kGiga = 1e-9;

// A product that stays in the L2 of each thread: B takes 288 KB in fp32.
constexpr int64_t kRows = 96;  // per thread
constexpr int64_t kCols = 192;
constexpr int64_t kDepth = 384;

double ProductOps(const ThreadPool& pool) {
  return 2.0 * static_cast<double>(kRows * kCols * kDepth * pool.threads());
}

// Zeros on a cache line's boundary.
class Bytes {
 public:
  explicit Bytes(int64_t count) : data_(static_cast<size_t>(count) + 64) {}
  template <class T>
  T* as() {
    const auto address = reinterpret_cast<uintptr_t>(data_.data());
    return reinterpret_cast<T*>(data_.data() + (64 - address % 64) % 64);
  }

 private:
  std::vector<uint8_t> data_;
};

double SpinRate(void (*spin)(int64_t), double ops_per_step, ThreadPool* pool) {
  constexpr int64_t kSteps = 20000;
  return kGiga * BestRate(ops_per_step * kSteps * pool->threads(), kMs, [&] {
           pool->ParallelParts([&](int) { spin(kSteps); });
         });
}

double F32ProductRate(Isa isa, ThreadPool* pool) {
  const GemmF32Kernel& kernel = PickGemmF32(isa);
  const int64_t m = kRows * pool->threads();
  Bytes a(m * kDepth * 4), c(m * kCols * 4);
  Bytes b(GemmF32PackedBytes(kernel, kCols, kDepth));
  GemmF32Args args;
  args.m = m;
  args.n = kCols;
  args.k = kDepth;
  args.a = a.as<float>();
  args.lda = kDepth;
  args.b = b.as<float>();
  args.c = c.as<float>();
  args.ldc = kCols;
  return kGiga *
         BestRate(ProductOps(*pool), kMs, [&] { GemmF32(kernel, args, pool); });
}

double Bf16ProductRate(Isa isa, ThreadPool* pool) {
  const GemmBf16Kernel& kernel = PickGemmBf16(isa);
  const int64_t m = kRows * pool->threads();
  Bytes a(m * kDepth * 4), c(m * kCols * 4), from(kDepth * kCols * 4);
  Bytes b(GemmBf16PackedBytes(kernel, kCols, kDepth));
  GemmBf16PackB(kernel, {.f32 = from.as<float>(), .ldb = kCols}, kCols, kDepth,
                b.as<uint16_t>(), pool);
  GemmBf16Args args;
  args.f32.m = m;
  args.f32.n = kCols;
  args.f32.k = kDepth;
  args.f32.a = a.as<float>();
  args.f32.lda = kDepth;
  args.f32.c = c.as<float>();
  args.f32.ldc = kCols;
  args.b = b.as<uint16_t>();
  return kGiga * BestRate(ProductOps(*pool), kMs,
                          [&] { GemmBf16(kernel, args, pool); });
}

double Int8ProductRate(Isa isa, ThreadPool* pool) {
  const GemmS8Kernel& kernel = PickGemmS8(isa);
  const int64_t m = kRows * pool->threads();
  Bytes a(m * kDepth), c(m * kCols * 4), from(kDepth * kCols);
  Bytes b(GemmS8PackedBytes(kernel, kCols, kDepth));
  GemmS8PackB(kernel, {.data = from.as<int8_t>(), .ldb = kCols}, kCols, kDepth,
              b.as<int8_t>(), pool);
  const float scale = 1;
  const uint8_t zero = 0;
  const std::vector<float> scales(kCols, 1.0f);
  GemmS8Args args;
  args.m = m;
  args.n = kCols;
  args.k = kDepth;
  args.a = a.as<uint8_t>();
  args.lda = kDepth;
  args.scale_a = &scale;
  args.zero_a = &zero;
  args.row_step = 0;
  args.b = b.as<int8_t>();
  args.scale_b = scales.data();
  args.c = c.as<float>();
  args.ldc = kCols;
  return kGiga *
         BestRate(ProductOps(*pool), kMs, [&] { GemmS8(kernel, args, pool); });
}

}  // namespace

void MeasureArithmetic(Isa isa, ThreadPool* pool, DeviceProfile* profile) {
  const LimitLoops& loops = PickLimitLoops(isa);
  profile->fp32_gflops = RateOfCoreAndAll(pool, [&](ThreadPool* threads) {
    return std::max(SpinRate(loops.spin_f32, loops.flops_per_step, threads),
                    F32ProductRate(isa, threads));
  });
  profile->int8_gops = RateOfCoreAndAll(pool, [&](ThreadPool* threads) {
    const double spin =
        loops.spin_s8 != nullptr
            ? SpinRate(loops.spin_s8, loops.ops_per_step, threads)
            : 0;
    return std::max(spin, Int8ProductRate(isa, threads));
  });
  profile->bf16_gflops = RateOfCoreAndAll(
      pool, [&](ThreadPool* threads) { return Bf16ProductRate(isa, threads); });
}

}  // namespace stint

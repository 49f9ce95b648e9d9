#include <numeric>

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

// A product that stays in the L2 of a thread: B takes 288 KB in fp32.
constexpr int64_t kRows = 96;
constexpr int64_t kCols = 192;
constexpr int64_t kDepth = 384;
constexpr double kProductOps = 2.0 * kRows * kCols * kDepth;

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

double SpinRate(void (*spin)(int64_t), double ops_per_step) {
  constexpr int64_t kSteps = 20000;
  return BestRate(ops_per_step * kSteps, kMs, [&] { spin(kSteps); });
}

double F32ProductRate(Isa isa) {
  const GemmF32Kernel& kernel = PickGemmF32(isa);
  Bytes a(kRows * kDepth * 4), c(kRows * kCols * 4);
  Bytes b(GemmF32PackedBytes(kernel, kCols, kDepth));
  GemmF32Args args;
  args.m = kRows;
  args.n = kCols;
  args.k = kDepth;
  args.a = a.as<float>();
  args.lda = kDepth;
  args.b = b.as<float>();
  args.c = c.as<float>();
  args.ldc = kCols;
  return BestRate(kProductOps, kMs, [&] { GemmF32(kernel, args, nullptr); });
}

double Bf16ProductRate(Isa isa) {
  const GemmBf16Kernel& kernel = PickGemmBf16(isa);
  Bytes a(kRows * kDepth * 4), c(kRows * kCols * 4);
  Bytes b(GemmBf16PackedBytes(kernel, kCols, kDepth));
  Bytes room(GemmBf16ScratchBytes(kernel, kRows, kDepth));
  GemmBf16Args args;
  args.f32.m = kRows;
  args.f32.n = kCols;
  args.f32.k = kDepth;
  args.f32.a = a.as<float>();
  args.f32.lda = kDepth;
  args.f32.c = c.as<float>();
  args.f32.ldc = kCols;
  args.b = b.as<uint16_t>();
  args.scratch = room.as<uint16_t>();
  return BestRate(kProductOps, kMs, [&] { GemmBf16(kernel, args, nullptr); });
}

double Int8ProductRate(Isa isa) {
  const GemmS8Kernel& kernel = PickGemmS8(isa);
  Bytes a(kRows * kDepth), c(kRows * kCols * 4);
  Bytes b(GemmS8PackedBytes(kernel, kCols, kDepth));
  Bytes room(GemmS8ScratchBytes(kernel, kRows, kDepth));
  const float scale = 1;
  const uint8_t zero = 0;
  const std::vector<float> scales(kCols, 1.0f);
  GemmS8Args args;
  args.m = kRows;
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
  args.scratch = room.as<uint8_t>();
  return BestRate(kProductOps, kMs, [&] { GemmS8(kernel, args, nullptr); });
}

// Threads share nothing here, so each is timed by itself while all run, and
// the rates add up: what others do on the machine then costs least.
template <class Rate>
CoreAndAll RateOfThreads(ThreadPool* pool, Rate rate) {
  CoreAndAll figure;
  figure.core = figure.all = kGiga * rate();
  if (pool->threads() > 1) {
    std::vector<double> rates(static_cast<size_t>(pool->threads()));
    pool->ParallelParts(
        [&](int part) { rates[static_cast<size_t>(part)] = rate(); });
    figure.all = kGiga * std::accumulate(rates.begin(), rates.end(), 0.0);
  }
  return figure;
}

}  // namespace

void MeasureArithmetic(Isa isa, ThreadPool* pool, DeviceProfile* profile) {
  const LimitLoops& loops = PickLimitLoops(isa);
  profile->fp32_gflops = RateOfThreads(pool, [&] {
    return std::max(SpinRate(loops.spin_f32, loops.flops_per_step),
                    F32ProductRate(isa));
  });
  profile->int8_gops = RateOfThreads(pool, [&] {
    const double spin = loops.spin_s8 != nullptr
                            ? SpinRate(loops.spin_s8, loops.ops_per_step)
                            : 0;
    return std::max(spin, Int8ProductRate(isa));
  });
  profile->bf16_gflops =
      RateOfThreads(pool, [&] { return Bf16ProductRate(isa); });
}

}  // namespace stint

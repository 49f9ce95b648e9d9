// Every row of the table on the shapes of MiniLM and BERT, hot or with weights
// rotating through 64 MB as in a model; the fp32 GEMM of the same ISA is timed
// in between. Best of all iterations: GFLOP/s, GB/s of weights, its percentage
// of the read bandwidth, the speed over gemm_f32, and of AMX the percentage of
// what tiles do at best. Arguments: m, n, k, rotating, threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/gemm_bf16/gemm_bf16.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/machine_limits.h"
#include "kernels/testing/rotation.h"
#include "kernels/testing/timed_products.h"

namespace stint {
namespace {

struct Bf16Product {
  Bf16Product(const GemmBf16Kernel& kernel, const F32Product& f32,
              bool rotating)
      : kernel(kernel),
        b(Packed(f32.args.n, f32.args.k), rotating),
        scratch(GemmBf16ScratchBytes(kernel, f32.args.m, f32.args.k) / 2 + 32),
        args{f32.args, nullptr, Aligned(scratch.data())} {}
  std::vector<uint16_t> Packed(int64_t n, int64_t k) const {
    const std::vector<float> plain = RandomFloats(n * k, 2);
    std::vector<uint16_t> packed(GemmBf16PackedBytes(kernel, n, k) / 2);
    GemmBf16PackB(kernel, {plain.data(), nullptr, n, false}, n, k,
                  packed.data(), nullptr);
    return packed;
  }
  void Run(ThreadPool* pool) {
    args.b = b.Next();
    GemmBf16(kernel, args, pool);
  }
  const GemmBf16Kernel& kernel;
  Rotation<uint16_t> b;
  std::vector<uint16_t> scratch;
  GemmBf16Args args;
};

void BM_Gemm(benchmark::State& state, const GemmBf16Kernel* kernel) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const bool rotating = state.range(3) != 0;
  const int threads = static_cast<int>(state.range(4));
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  F32Product f32(kernel->isa, m, n, k, rotating);
  Bf16Product bf16(*kernel, f32, rotating);
  MachineLimits limits(&pool, kModelBytes);
  double best = 1e9, best_f32 = 1e9;
  for (auto _ : state) {
    const double seconds = BestSeconds([&] { bf16.Run(&pool); });
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_f32 = std::min(best_f32, BestSeconds([&] { f32.Run(&pool); }));
    limits.Measure();
  }
  const double read = 2e-9 * static_cast<double>(n * k) / best;
  const double flops = 2e-9 * static_cast<double>(m * n * k) / best;
  state.counters["GFLOP/s"] = flops;
  if (kernel->isa == Isa::kAmx) {
    state.counters["%peak"] = 100 * flops / (limits.tile_gops() / 2);
  }
  state.counters["GB/s"] = read;
  state.counters["%read"] = 100 * read / limits.read_gbytes();
  state.counters["x_f32"] = best_f32 / best;
}

const bool kRegistered = [] {
  for (const GemmBf16Kernel& kernel : GemmBf16Table()) {
    const std::string name = kernel.name;
    if (kernel.isa > DetectIsa() || name == "reference") continue;
    auto* gemm = benchmark::RegisterBenchmark(("gemm/" + name).c_str(), BM_Gemm,
                                              &kernel);
    for (int rotating : {0, 1}) {
      for (int m : {128, 32, 16, 8, 1}) {
        gemm->Args({m, 3072, 768, rotating, 1});
        gemm->Args({m, 768, 3072, rotating, 1});
        gemm->Args({m, 384, 1536, rotating, 1});
      }
      gemm->Args({128, 3072, 768, rotating, 2});
      gemm->Args({1, 3072, 768, rotating, 2});
    }
    gemm->UseManualTime();
  }
  return true;
}();

}  // namespace
}  // namespace stint

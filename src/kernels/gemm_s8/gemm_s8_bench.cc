// Every row of the table on the shapes of MiniLM and BERT, hot or with weights
// rotating through 64 MB as in a model. Best of all iterations, the fp32 GEMM
// and the limits of the machine timed in between: GOP/s, GB/s of weights,
// their percentage of the measured peak and read bandwidth, and the speed over
// gemm_f32 of the same ISA. Arguments: m, n, k, rotating, threads.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/testing/machine_limits.h"
#include "kernels/testing/timed_products.h"

namespace stint {
namespace {

void BM_Gemm(benchmark::State& state, const GemmS8Kernel* kernel) {
  const int64_t m = state.range(0), n = state.range(1), k = state.range(2);
  const bool rotating = state.range(3) != 0;
  ThreadPool pool(static_cast<int>(state.range(4)));
  ThreadPool::Run run(&pool);
  S8Product s8(*kernel, m, n, k, rotating);
  F32Product f32(kernel->isa, m, n, k, rotating);
  MachineLimits limits(&pool, kModelBytes);
  double best = 1e9, best_f32 = 1e9;
  for (auto _ : state) {
    const double seconds = BestSeconds([&] { s8.Run(&pool); });
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_f32 = std::min(best_f32, BestSeconds([&] { f32.Run(&pool); }));
    limits.Measure();
  }
  const double ops = 2e-9 * static_cast<double>(m * n * k) / best;
  const double read = 1e-9 * static_cast<double>(n * k) / best;
  state.counters["GOP/s"] = ops;
  state.counters["%peak"] =
      100 * ops /
      (kernel->isa == Isa::kAmx ? limits.tile_gops() : limits.dot_gops());
  state.counters["GB/s"] = read;
  state.counters["%read"] = 100 * read / limits.read_gbytes();
  state.counters["x_f32"] = best_f32 / best;
}

void BM_QuantizeRows(benchmark::State& state, const GemmS8Kernel* kernel) {
  const int64_t m = state.range(0), k = state.range(1);
  const std::vector<float> x = RandomFloats(m * k, 1);
  std::vector<uint8_t> q(static_cast<size_t>(m * k));
  std::vector<uint8_t> zero(static_cast<size_t>(m));
  std::vector<float> scale(static_cast<size_t>(m));
  const QuantizeRowsArgs args{m,        k, x.data(),     k,
                              q.data(), k, scale.data(), zero.data()};
  for (auto _ : state) QuantizeRows(*kernel, args, nullptr);
  state.SetBytesProcessed(state.iterations() * m * k * 4);
}

const bool kRegistered = [] {
  for (const GemmS8Kernel& kernel : GemmS8Table()) {
    const std::string name = kernel.name;
    if (kernel.isa > DetectIsa() || name == "reference") continue;
    auto* gemm = benchmark::RegisterBenchmark(("gemm/" + name).c_str(), BM_Gemm,
                                              &kernel);
    for (int rotating : {0, 1}) {
      for (int m : {128, 16, 8, 1}) {
        gemm->Args({m, 3072, 768, rotating, 1});
        gemm->Args({m, 768, 3072, rotating, 1});
        gemm->Args({m, 1536, 384, rotating, 1});
        gemm->Args({m, 384, 1536, rotating, 1});
      }
      gemm->Args({128, 3072, 768, rotating, 2});
      gemm->Args({1, 3072, 768, rotating, 2});
    }
    gemm->UseManualTime();
    benchmark::RegisterBenchmark(("rows/" + name).c_str(), BM_QuantizeRows,
                                 &kernel)
        ->Args({128, 384})
        ->Args({128, 3072});
  }
  return true;
}();

}  // namespace
}  // namespace stint

// The kernel picked at each ISA level on layers of ResNet-50 and MobileNetV2,
// hot; GFLOP/s on one thread (of CPU time) and on two.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/platform/thread_pool.h"
#include "kernels/conv_f32/conv_f32.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

// Arguments: in, out, size, kernel, stride, groups.
ConvF32Shape ShapeOf(const benchmark::State& state) {
  ConvF32Shape s;
  s.in_channels = state.range(0);
  s.out_channels = state.range(1);
  s.in_h = s.in_w = state.range(2);
  s.kernel_h = s.kernel_w = state.range(3);
  s.stride_h = s.stride_w = state.range(4);
  s.groups = state.range(5);
  s.pad_top = s.pad_left = s.kernel_h / 2;
  s.out_h = s.out_w = (s.in_h + 2 * s.pad_top - s.kernel_h) / s.stride_h + 1;
  return s;
}

void BM_Conv(benchmark::State& state, Isa isa, int threads) {
  const ConvF32Shape s = ShapeOf(state);
  const ConvF32Kernel& kernel = PickConvF32(s, isa);
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  const std::vector<float> x = RandomFloats(s.in_channels * s.in_plane(), 1);
  const std::vector<float> w =
      RandomFloats(s.out_channels * s.group_in() * s.taps(), 2);
  std::vector<float> y(s.out_channels * s.out_plane());
  std::vector<float> scratch(kernel.scratch_bytes(kernel, s, threads) / 4);
  const ConvF32Args args{s,        x.data(),           w.data(),      nullptr,
                         y.data(), Activation::Relu(), scratch.data()};
  for (auto _ : state) kernel.run(kernel, args, &pool);
  const double flops =
      2.0 * s.out_channels * s.group_in() * s.taps() * s.out_plane();
  state.counters["GFLOP/s"] = benchmark::Counter(
      flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void AddLayers(benchmark::internal::Benchmark* bench) {
  bench->Args({3, 64, 224, 7, 2, 1})
      ->Args({64, 64, 56, 3, 1, 1})
      ->Args({128, 128, 28, 3, 1, 1})
      ->Args({256, 256, 14, 3, 1, 1})
      ->Args({512, 512, 7, 3, 1, 1})
      ->Args({64, 256, 56, 1, 1, 1})
      ->Args({256, 64, 56, 1, 1, 1})
      ->Args({512, 128, 28, 1, 1, 1})
      ->Args({1024, 256, 14, 1, 1, 1})
      ->Args({512, 2048, 7, 1, 1, 1})
      ->Args({256, 512, 56, 1, 2, 1})
      ->Args({32, 32, 112, 3, 1, 32})
      ->Args({96, 96, 112, 3, 2, 96})
      ->Args({144, 144, 56, 3, 1, 144})
      ->Args({576, 576, 14, 3, 1, 576})
      ->Args({960, 960, 7, 3, 1, 960});
}

const bool kRegistered = [] {
  for (Isa isa : {Isa::kAvx512, Isa::kAvx2, Isa::kBaseline}) {
    if (isa > DetectIsa()) continue;
    const std::string name = std::string(IsaName(isa)) + "/conv";
    AddLayers(
        benchmark::RegisterBenchmark((name + "_t1").c_str(), BM_Conv, isa, 1));
    AddLayers(
        benchmark::RegisterBenchmark((name + "_t2").c_str(), BM_Conv, isa, 2)
            ->UseRealTime());
  }
  return true;
}();

}  // namespace
}  // namespace stint

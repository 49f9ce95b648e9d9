// Every row of this machine's ISA on the layers of ResNet-50, ResNet-18,
// MobileNetV2 and VGG-16, the blocked fp32 pick and the machine's limit timed
// in between; best of the run:
//   GOP/s   of the row
//   of_peak its share of what vpdpbusd reaches on registers
//   x_f32   how many times faster than conv_blocked_f32's pick
// and whole networks, layer after layer, each with its own weights. For weights
// of which one group of 4 in `keep` is not 0, and for Winograd's algorithm:
//   x_direct how many times faster than the direct form

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_s8/conv_s8_table.h"
#include "kernels/conv_s8/winograd.h"
#include "kernels/testing/bench_layers.h"
#include "kernels/testing/machine_limits.h"
#include "kernels/testing/rotation.h"

namespace stint {
namespace {

double Ops(const ConvF32Shape& s) {
  return 2.0 * static_cast<double>(s.out_channels * s.group_in() * s.taps() *
                                   s.out_plane());
}

template <class T>
class AlignedArray {
 public:
  AlignedArray(int64_t count, T value)
      : data_(static_cast<size_t>(count) + 64, value),
        first_(Aligned(data_.data())) {}
  T* data() const { return first_; }

 private:
  std::vector<T> data_;
  T* first_;
};

int64_t Stored(int64_t channels) {
  return channels <= 4 ? 4 : RoundUp(channels, 16);
}

// One group of 4 input channels in `keep` is not 0.
std::vector<int8_t> Weights(const ConvF32Shape& s, int64_t keep) {
  std::vector<int8_t> w(
      static_cast<size_t>(s.out_channels * s.group_in() * s.taps()), 3);
  for (size_t i = 0; i < w.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const int64_t row =
        at / (s.taps() * s.group_in()) * s.taps() + at % s.taps();
    const int64_t group = row * 1031 + at / s.taps() % s.group_in() / 4;
    if (group * 2654435761 % keep != 0) w[i] = 0;
  }
  return w;
}

struct Layer {
  Layer(const ConvF32Shape& s, const ConvS8Kernel& kernel, int threads,
        int64_t keep = 1)
      : kernel(kernel),
        x(Stored(s.in_channels) * s.in_plane(), 100),
        y(Stored(s.out_channels) * s.out_plane(), 0),
        w(kernel.packed_bytes(kernel, s, Stored(s.in_channels)), 0),
        scratch(kernel.scratch_bytes(kernel, s, Stored(s.in_channels), threads),
                0) {
    const size_t out = static_cast<size_t>(s.out_channels);
    const std::vector<int8_t> plain = Weights(s, keep);
    const std::vector<int32_t> bias(out, 7);
    const std::vector<float> multiplier(out, 0.001f);
    kernel.pack(
        kernel, s,
        {plain.data(), bias.data(), multiplier.data(), Stored(s.in_channels)},
        w.data());
    args.shape = s;
    args.x = x.data();
    args.x_pixel = Stored(s.in_channels);
    args.w = w.data();
    args.y = y.data();
    args.y_pixel = Stored(s.out_channels);
    args.scratch = scratch.data();
  }
  void Run(ThreadPool* pool) { kernel.run(kernel, args, pool); }

  const ConvS8Kernel& kernel;
  AlignedArray<uint8_t> x, y;
  AlignedArray<int8_t> w;
  AlignedArray<uint8_t> scratch;
  ConvS8Args args;
};

// The fp32 pick for the same layer.
struct FloatLayer {
  FloatLayer(const ConvF32Shape& s, Isa isa, int threads)
      : kernel(*PickConvBlockedF32(
            s, s.in_channels == 3 ? ImageLayout::kPlain : ImageLayout::kBlocked,
            isa)),
        x(BlockedFloats(s.in_channels, s.in_plane(), kernel.block), 1.0f),
        y(BlockedFloats(s.out_channels, s.out_plane(), kernel.block), 0.0f),
        w(kernel.packed_bytes(kernel, s) / 4, 0.5f),
        scratch(kernel.scratch_bytes(kernel, s, threads) / 4, 0.0f) {
    args.shape = s;
    args.x = x.data();
    args.w = w.data();
    args.y = y.data();
    args.scratch = scratch.data();
  }
  void Run(ThreadPool* pool) { kernel.run(kernel, args, pool); }

  const ConvBlockedF32Kernel& kernel;
  AlignedArray<float> x, y, w, scratch;
  ConvBlockedF32Args args;
};

void Report(benchmark::State& state, double ops, double best, double best_f32,
            const MachineLimits& limits) {
  state.counters["us"] = best * 1e6;
  state.counters["GOP/s"] = ops * 1e-9 / best;
  state.counters["of_peak"] = ops * 1e-9 / best / limits.dot_gops();
  state.counters["x_f32"] = best_f32 / best;
}

// What sessions take for dense weights.
const ConvS8Kernel& PickFor(const ConvF32Shape& s, const WinogradS8Site& site) {
  const ConvS8Kernel& direct = PickConvS8(s, DetectIsa());
  const ConvS8Kernel& winograd = ConvS8WinogradTable().front();
  const bool gains = direct.isa <= Isa::kBf16 && winograd.isa <= DetectIsa() &&
                     winograd.supports(s) && WinogradS8Gains(s, site);
  return gains ? winograd : direct;
}

void BM_Layers(benchmark::State& state, std::vector<ConvF32Shape> shapes,
               const ConvS8Kernel* forced, int threads) {
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  MachineLimits limits(&pool, 1 << 20);
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<std::unique_ptr<FloatLayer>> floats;
  double ops = 0;
  int64_t weights = 0;
  for (const ConvF32Shape& s : shapes) {
    weights += s.out_channels * s.group_in() * s.taps();
  }
  for (const ConvF32Shape& s : shapes) {
    const ConvS8Kernel& kernel =
        forced ? *forced : PickFor(s, {weights, threads});
    layers.push_back(std::make_unique<Layer>(s, kernel, threads));
    floats.push_back(std::make_unique<FloatLayer>(s, kernel.isa, threads));
    ops += Ops(s);
  }
  double best = 1e9, best_f32 = 1e9;
  for (auto _ : state) {
    const auto all = [&](auto& list) {
      for (auto& layer : list) layer->Run(&pool);
    };
    const double seconds = BestSeconds([&] { all(layers); });
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_f32 = std::min(best_f32, BestSeconds([&] { all(floats); }));
    limits.Measure();
  }
  Report(state, ops, best, best_f32, limits);
}

// The direct form on whole vectors.
const ConvS8Kernel& WholeVectors() {
  ConvF32Shape wide;
  wide.out_channels = 16;
  return PickConvS8(wide, DetectIsa());
}

void BM_AgainstDirect(benchmark::State& state, const ConvF32Shape& s,
                      const ConvS8Kernel& kernel, int64_t keep) {
  ThreadPool pool(1);
  ThreadPool::Run run(&pool);
  Layer layer(s, kernel, 1, keep);
  Layer direct(s, WholeVectors(), 1);
  double best = 1e9, best_direct = 1e9;
  for (auto _ : state) {
    const double seconds = BestSeconds([&] { layer.Run(&pool); });
    state.SetIterationTime(seconds);
    best = std::min(best, seconds);
    best_direct =
        std::min(best_direct, BestSeconds([&] { direct.Run(&pool); }));
  }
  state.counters["us"] = best * 1e6;
  state.counters["x_direct"] = best_direct / best;
}

std::string NameOf(const ConvF32Shape& s) {
  return std::to_string(s.in_channels) + "-" + std::to_string(s.out_channels) +
         "@" + std::to_string(s.in_h) + "k" + std::to_string(s.kernel_h) + "s" +
         std::to_string(s.stride_h) + (s.groups > 1 ? "dw" : "");
}

void RegisterNetwork(const std::string& name,
                     const std::vector<ConvF32Shape>& layers) {
  for (int threads : {1, 2}) {
    benchmark::RegisterBenchmark(
        (name + "/all/" + std::to_string(threads)).c_str(), BM_Layers, layers,
        nullptr, threads)
        ->UseManualTime();
  }
  std::vector<std::string> seen;
  for (const ConvF32Shape& s : layers) {
    if (std::find(seen.begin(), seen.end(), NameOf(s)) != seen.end()) continue;
    seen.push_back(NameOf(s));
    for (const ConvS8Kernel& kernel : ConvS8Table()) {
      if (kernel.isa > DetectIsa() || kernel.isa == Isa::kBaseline ||
          !kernel.supports(s)) {
        continue;
      }
      benchmark::RegisterBenchmark(
          (name + "/" + NameOf(s) + "/" + kernel.name).c_str(), BM_Layers,
          std::vector<ConvF32Shape>{s}, &kernel, 1)
          ->UseManualTime()
          ->MinTime(0.05);
    }
  }
}

void RegisterSparse() {
  const ConvS8Kernel& kernel = ConvS8SparseTable().front();
  if (kernel.isa > DetectIsa()) return;
  for (const ConvF32Shape& s :
       {BenchLayer(16, 16, 32, 3, 1), BenchLayer(64, 64, 56, 3, 1),
        BenchLayer(128, 128, 28, 3, 1), BenchLayer(256, 256, 14, 3, 1),
        BenchLayer(512, 512, 7, 3, 1), BenchLayer(256, 64, 56, 1, 1),
        BenchLayer(1024, 256, 14, 1, 1)}) {
    for (int64_t keep : {2, 3, 5, 10}) {
      benchmark::RegisterBenchmark(
          ("sparse/" + NameOf(s) + "/keep" + std::to_string(keep)).c_str(),
          BM_AgainstDirect, s, kernel, keep)
          ->UseManualTime()
          ->MinTime(0.05);
    }
  }
}

// CIFAR's ResNets, and 3x3 layers of networks for larger pictures.
void RegisterWinograd() {
  const ConvS8Kernel& kernel = ConvS8WinogradTable().front();
  if (kernel.isa > DetectIsa()) return;
  for (const ConvF32Shape& s :
       {BenchLayer(16, 16, 32, 3, 1), BenchLayer(32, 32, 16, 3, 1),
        BenchLayer(64, 64, 8, 3, 1), BenchLayer(64, 64, 32, 3, 1),
        BenchLayer(512, 512, 4, 3, 1), BenchLayer(64, 64, 56, 3, 1),
        BenchLayer(128, 128, 28, 3, 1), BenchLayer(256, 256, 14, 3, 1),
        BenchLayer(512, 512, 7, 3, 1)}) {
    benchmark::RegisterBenchmark(("winograd/" + NameOf(s)).c_str(),
                                 BM_AgainstDirect, s, kernel, 1)
        ->UseManualTime()
        ->MinTime(0.05);
  }
}

// Few output channels: half vectors.
void RegisterHalves() {
  ConvF32Shape narrow;
  narrow.out_channels = 8;
  const ConvS8Kernel& kernel = PickConvS8(narrow, DetectIsa());
  for (const ConvF32Shape& s :
       {BenchLayer(3, 8, 32, 3, 1), BenchLayer(16, 4, 32, 3, 1),
        BenchLayer(16, 8, 32, 3, 1), BenchLayer(32, 8, 16, 3, 1),
        BenchLayer(64, 8, 8, 3, 1), BenchLayer(96, 8, 32, 1, 1)}) {
    benchmark::RegisterBenchmark(("half/" + NameOf(s)).c_str(),
                                 BM_AgainstDirect, s, kernel, 1)
        ->UseManualTime()
        ->MinTime(0.05);
  }
}

const bool kRegistered = [] {
  RegisterHalves();
  RegisterWinograd();
  RegisterSparse();
  RegisterNetwork("resnet50", ResNet50Layers());
  RegisterNetwork("resnet18", ResNet18Layers());
  RegisterNetwork("mobilenetv2", MobileNetV2Layers());
  RegisterNetwork("vgg16", Vgg16Layers());
  return true;
}();

}  // namespace
}  // namespace stint

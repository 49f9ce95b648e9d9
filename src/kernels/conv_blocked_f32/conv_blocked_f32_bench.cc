// Every row of the widest block on the layers of ResNet-50, MobileNetV2 and
// VGG-16 beside the plain family's pick, interleaved and best of the run:
//   GFLOP/s    of the row (of a direct convolution, whatever it computes)
//   of_peak    its share of what a register tile reaches on data in L1
//   over_plain how many times faster than conv_f32's pick
// and whole networks, layer after layer, each with its own weights.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/testing/bench_layers.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

double Flops(const ConvF32Shape& s) {
  return 2.0 * static_cast<double>(s.out_channels * s.group_in() * s.taps() *
                                   s.out_plane());
}

// Floats on a cache line's boundary, as tensors of the engine are.
class AlignedFloats {
 public:
  explicit AlignedFloats(int64_t count)
      : data_(new (std::align_val_t{64}) float[static_cast<size_t>(count)]()) {}
  AlignedFloats(int64_t count, uint64_t seed) : AlignedFloats(count) {
    std::ranges::copy(RandomFloats(count, seed), data_.get());
  }
  float* data() const { return data_.get(); }

 private:
  struct Delete {
    void operator()(float* p) const {
      ::operator delete[](p, std::align_val_t{64});
    }
  };
  std::unique_ptr<float[], Delete> data_;
};

// Memory of one layer and both families' arguments.
struct Layer {
  const ConvBlockedF32Kernel* kernel;
  const ConvF32Kernel* plain;
  AlignedFloats x, w, y, plain_w, scratch;
  ConvBlockedF32Args args;
  ConvF32Args plain_args;

  Layer(const ConvF32Shape& s, const ConvBlockedF32Kernel* kernel,
        ThreadPool* pool)
      : kernel(kernel),
        plain(&PickConvF32(s, kernel->isa)),
        x(BlockedFloats(s.in_channels, s.in_plane(), 16), 1),
        w(kernel->packed_bytes(*kernel, s) / 4),
        y(BlockedFloats(s.out_channels, s.out_plane(), 16)),
        plain_w(s.out_channels * s.group_in() * s.taps(), 2),
        scratch(std::max(kernel->scratch_bytes(*kernel, s, pool->threads()),
                         plain->scratch_bytes(*plain, s, pool->threads())) /
                4) {
    kernel->pack(*kernel, s, plain_w.data(), w.data(), pool);
    args = {.shape = s,
            .x = x.data(),
            .w = w.data(),
            .act = Activation::Relu(),
            .y = y.data(),
            .scratch = scratch.data()};
    plain_args = {s,        x.data(),           plain_w.data(), nullptr,
                  y.data(), Activation::Relu(), scratch.data()};
  }
  void Run(ThreadPool* pool) { kernel->run(*kernel, args, pool); }
  void RunPlain(ThreadPool* pool) { plain->run(*plain, plain_args, pool); }
};

const ConvBlockedF32Kernel* DefaultFor(const ConvF32Shape& s) {
  const auto input =
      s.in_channels == 3 ? ImageLayout::kPlain : ImageLayout::kBlocked;
  return PickConvBlockedF32(s, input, DetectIsa());
}

template <class Body>
double Seconds(Body body) {
  const int64_t begin = NowNs();
  body();
  return static_cast<double>(NowNs() - begin) * 1e-9;
}

// GFLOP/s of one core on a tile whose data stay in L1.
double TilePeak(const ConvTileSet& tiles) {
  const int blocks = tiles.max_pixels[1] ? 2 : 1;
  const int64_t pixels = tiles.max_pixels[blocks - 1];
  const int64_t inner = 64, steps = 64;
  const AlignedFloats x(pixels * tiles.block + inner, 1);
  const AlignedFloats w(inner * blocks * tiles.block, 2);
  const AlignedFloats y(pixels * blocks * tiles.block);
  ConvTiles t{};
  t.x = x.data();
  t.w = w.data();
  t.y = y.data();
  t.x_pixel = tiles.block;
  t.inner = t.inner_last = inner;
  t.count[0] = t.count[1] = t.count[2] = 1;
  t.w_block = inner * tiles.block;
  t.y_block = pixels * tiles.block;
  t.tile = t.pixels = pixels;
  t.blocks = blocks;
  double best = 1;
  for (int i = 0; i < 500; ++i) {
    best = std::min(best, Seconds([&] {
                      for (int s = 0; s < steps; ++s) tiles.run(t);
                    }));
  }
  return 2e-9 *
         static_cast<double>(steps * inner * pixels * blocks * tiles.block) /
         best;
}

double Peak() {
  static const double peak =
      TilePeak(*DefaultFor(BenchLayer(16, 16, 8, 3, 1))->tiles);
  return peak;
}

void BM_Layer(benchmark::State& state, ConvF32Shape s,
              const ConvBlockedF32Kernel* kernel, int threads) {
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  Layer layer(s, kernel, &pool);
  double best = 1e9, plain = 1e9;
  for (auto _ : state) {
    best = std::min(best, Seconds([&] { layer.Run(&pool); }));
    plain = std::min(plain, Seconds([&] { layer.RunPlain(&pool); }));
  }
  state.counters["us"] = best * 1e6;
  state.counters["GFLOP/s"] = Flops(s) * 1e-9 / best;
  state.counters["of_peak"] = Flops(s) * 1e-9 / best / Peak() / threads;
  state.counters["over_plain"] = plain / best;
}

void BM_Network(benchmark::State& state, std::vector<ConvF32Shape> shapes,
                int threads) {
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  std::vector<std::unique_ptr<Layer>> layers;
  double flops = 0;
  for (const ConvF32Shape& s : shapes) {
    layers.push_back(std::make_unique<Layer>(s, DefaultFor(s), &pool));
    flops += Flops(s);
  }
  double best = 1e9, plain = 1e9;
  for (auto _ : state) {
    best = std::min(best, Seconds([&] {
                      for (auto& layer : layers) layer->Run(&pool);
                    }));
    plain = std::min(plain, Seconds([&] {
                       for (auto& layer : layers) layer->RunPlain(&pool);
                     }));
  }
  state.counters["ms"] = best * 1e3;
  state.counters["GFLOP/s"] = flops * 1e-9 / best;
  state.counters["of_peak"] = flops * 1e-9 / best / Peak() / threads;
  state.counters["over_plain"] = plain / best;
}

std::string NameOf(const ConvF32Shape& s) {
  return std::to_string(s.in_channels) + "-" + std::to_string(s.out_channels) +
         "@" + std::to_string(s.in_h) + "k" + std::to_string(s.kernel_h) + "s" +
         std::to_string(s.stride_h) + (s.groups > 1 ? "dw" : "");
}

void RegisterLayer(const std::string& network, const ConvF32Shape& s) {
  const ConvBlockedF32Kernel* pick = DefaultFor(s);
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (kernel.isa != pick->isa || kernel.input != pick->input) continue;
    if (!kernel.supports(kernel, s)) continue;
    // A 1x1 convolution is the same code in both rows.
    if (s.taps() == 1 && std::string_view(kernel.primitive) == "direct") {
      continue;
    }
    for (int threads : {1, 2}) {
      benchmark::RegisterBenchmark((network + "/" + NameOf(s) + "/" +
                                    kernel.name + "/" + std::to_string(threads))
                                       .c_str(),
                                   BM_Layer, s, &kernel, threads)
          ->UseRealTime()
          ->MinTime(0.2);
    }
  }
}

void RegisterNetwork(const std::string& name,
                     const std::vector<ConvF32Shape>& layers) {
  for (int threads : {1, 2}) {
    benchmark::RegisterBenchmark(
        (name + "/all/" + std::to_string(threads)).c_str(), BM_Network, layers,
        threads)
        ->UseRealTime()
        ->MinTime(2.0);
  }
  std::vector<std::string> seen;
  for (const ConvF32Shape& s : layers) {
    if (std::find(seen.begin(), seen.end(), NameOf(s)) != seen.end()) continue;
    seen.push_back(NameOf(s));
    RegisterLayer(name, s);
  }
}

const bool kRegistered = [] {
  RegisterNetwork("resnet50", ResNet50Layers());
  RegisterNetwork("resnet18", ResNet18Layers());
  RegisterNetwork("mobilenetv2", MobileNetV2Layers());
  RegisterNetwork("vgg16", Vgg16Layers());
  return true;
}();

}  // namespace
}  // namespace stint

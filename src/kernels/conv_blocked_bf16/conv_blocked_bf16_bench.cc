// The default kernel of each layer of four networks with weights in two bytes,
// beside the fp32 default, interleaved and best of the run; whole networks have
// weights of their own in every layer, so that they come from memory. Images
// are narrow where the kernel takes them so.
//   ms         of the run
//   over_f32   how many times faster than fp32

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "kernels/conv_blocked_bf16/conv_blocked_bf16.h"
#include "kernels/testing/bench_layers.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/rotation.h"

namespace stint {
namespace {

template <class T>
class AlignedArray {
 public:
  explicit AlignedArray(int64_t count)
      : data_(static_cast<size_t>(count) + 64 / sizeof(T)) {}
  T* data() { return Aligned(data_.data()); }

 private:
  std::vector<T> data_;
};

ConvForms FormsOf(const ConvF32Shape& s) {
  using enum ConvForm;
  const ConvForm x = s.in_channels == 3 ? kPlain : kNarrow;
  const ConvForms narrow{x, kNone, kNarrow};
  const bool runs =
      PickConvBlockedBf16(s, narrow, DetectIsa()).tiles != nullptr;
  return runs ? narrow : ConvForms{x == kPlain ? kPlain : kBlocked};
}

struct Layer {
  Layer(const ConvF32Shape& s, ThreadPool* pool)
      : forms(FormsOf(s)),
        f32(PickConvBlockedF32(s,
                               forms.x == ConvForm::kPlain
                                   ? ImageLayout::kPlain
                                   : ImageLayout::kBlocked,
                               DetectIsa())),
        bf16(PickConvBlockedBf16(s, forms, DetectIsa())),
        x(BlockedFloats(s.in_channels, s.in_plane(), 16)),
        y(BlockedFloats(s.out_channels, s.out_plane(), 16)),
        w(f32->packed_bytes(*f32, s) / 4),
        w16(ConvBlockedBf16PackedBytes(bf16, s, forms.x) / 2),
        scratch(std::max(f32->scratch_bytes(*f32, s, pool->threads()),
                         ConvBlockedBf16ScratchBytes(bf16, s, forms.x,
                                                     pool->threads())) /
                4) {
    const std::vector<float> plain =
        RandomFloats(s.out_channels * s.group_in() * s.taps(), 2);
    f32->pack(*f32, s, plain.data(), w.data(), pool);
    ConvBlockedBf16Pack(bf16, s, forms.x, plain.data(), w16.data(), pool);
    args = {.shape = s, .x = x.data(), .w = w.data()};
    args.act = Activation::Relu();
    args.y = y.data();
    args.scratch = scratch.data();
  }
  void RunF32(ThreadPool* pool) { f32->run(*f32, args, pool); }
  void RunBf16(ThreadPool* pool) {
    ConvBf16Args narrow;
    narrow.shape = args.shape;
    narrow.forms = forms;
    narrow.x = args.x;
    narrow.act = args.act;
    narrow.y = args.y;
    narrow.scratch = args.scratch;
    ConvBlockedBf16(bf16, narrow, w16.data(), pool);
  }

  ConvForms forms;
  const ConvBlockedF32Kernel* f32;
  ConvBlockedBf16Kernel bf16;
  AlignedArray<float> x, y, w;
  AlignedArray<uint16_t> w16;
  AlignedArray<float> scratch;
  ConvBlockedF32Args args;
};

template <class Body>
double Milliseconds(Body body) {
  const int64_t begin = NowNs();
  body();
  return MsSince(begin);
}

void BM_Layers(benchmark::State& state, std::vector<ConvF32Shape> shapes,
               int threads) {
  ThreadPool pool(threads);
  ThreadPool::Run run(&pool);
  std::vector<std::unique_ptr<Layer>> layers;
  for (const ConvF32Shape& s : shapes) {
    layers.push_back(std::make_unique<Layer>(s, &pool));
  }
  double bf16 = 1e9, f32 = 1e9;
  for (auto _ : state) {
    bf16 = std::min(bf16, Milliseconds([&] {
                      for (auto& layer : layers) layer->RunBf16(&pool);
                    }));
    f32 = std::min(f32, Milliseconds([&] {
                     for (auto& layer : layers) layer->RunF32(&pool);
                   }));
  }
  state.counters["ms"] = bf16;
  state.counters["over_f32"] = f32 / bf16;
}

std::string NameOf(const ConvF32Shape& s) {
  return std::to_string(s.in_channels) + "-" + std::to_string(s.out_channels) +
         "@" + std::to_string(s.in_h) + "k" + std::to_string(s.kernel_h) + "s" +
         std::to_string(s.stride_h) + (s.groups > 1 ? "dw" : "");
}

void Register(const std::string& network,
              const std::vector<ConvF32Shape>& layers) {
  for (int threads : {1, 2}) {
    const std::string suffix = "/" + std::to_string(threads);
    benchmark::RegisterBenchmark((network + "/all" + suffix).c_str(), BM_Layers,
                                 layers, threads)
        ->UseRealTime()
        ->MinTime(2.0);
    std::vector<std::string> seen;
    for (const ConvF32Shape& s : layers) {
      const std::string name = NameOf(s);
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
      seen.push_back(name);
      benchmark::RegisterBenchmark((network + "/" + name + suffix).c_str(),
                                   BM_Layers, std::vector<ConvF32Shape>{s},
                                   threads)
          ->UseRealTime()
          ->MinTime(0.2);
    }
  }
}

const bool kRegistered = [] {
  Register("resnet50", ResNet50Layers());
  Register("resnet18", ResNet18Layers());
  Register("mobilenetv2", MobileNetV2Layers());
  Register("vgg16", Vgg16Layers());
  return true;
}();

}  // namespace
}  // namespace stint

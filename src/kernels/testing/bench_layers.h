#pragma once
// The convolutions of four networks at 224 x 224, in order; for benchmarks.

#include <cstdint>
#include <vector>

#include "kernels/geometry/conv_shape.h"

namespace stint {

inline ConvF32Shape BenchLayer(int64_t in, int64_t out, int64_t size,
                               int64_t kernel, int64_t stride,
                               int64_t groups = 1) {
  ConvF32Shape s;
  s.in_channels = in;
  s.out_channels = out;
  s.in_h = s.in_w = size;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.groups = groups;
  s.pad_top = s.pad_left = kernel / 2;
  s.out_h = s.out_w = (size + 2 * s.pad_top - kernel) / stride + 1;
  return s;
}

inline std::vector<ConvF32Shape> ResNet50Layers() {
  std::vector<ConvF32Shape> layers = {BenchLayer(3, 64, 224, 7, 2)};
  const int64_t repeats[] = {3, 4, 6, 3};
  int64_t in = 64, size = 56;
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t mid = int64_t{64} << stage;
    for (int64_t i = 0; i < repeats[stage]; ++i) {
      const int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      if (i == 0) layers.push_back(BenchLayer(in, 4 * mid, size, 1, stride));
      layers.push_back(BenchLayer(in, mid, size, 1, 1));
      layers.push_back(BenchLayer(mid, mid, size, 3, stride));
      size /= stride;
      layers.push_back(BenchLayer(mid, 4 * mid, size, 1, 1));
      in = 4 * mid;
    }
  }
  return layers;
}

inline std::vector<ConvF32Shape> ResNet18Layers() {
  std::vector<ConvF32Shape> layers = {BenchLayer(3, 64, 224, 7, 2)};
  int64_t in = 64, size = 56;
  for (int stage = 0; stage < 4; ++stage) {
    const int64_t out = int64_t{64} << stage;
    for (int i = 0; i < 2; ++i) {
      const int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      if (stride == 2) layers.push_back(BenchLayer(in, out, size, 1, 2));
      layers.push_back(BenchLayer(in, out, size, 3, stride));
      size /= stride;
      layers.push_back(BenchLayer(out, out, size, 3, 1));
      in = out;
    }
  }
  return layers;
}

inline std::vector<ConvF32Shape> MobileNetV2Layers() {
  struct Stage {
    int64_t expand, out, repeats, stride;
  };
  std::vector<ConvF32Shape> layers = {BenchLayer(3, 32, 224, 3, 2)};
  int64_t in = 32, size = 112;
  for (const Stage& stage :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2},
        Stage{6, 64, 4, 2}, Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2},
        Stage{6, 320, 1, 1}}) {
    for (int64_t i = 0; i < stage.repeats; ++i) {
      const int64_t stride = i == 0 ? stage.stride : 1;
      const int64_t mid = in * stage.expand;
      if (mid != in) layers.push_back(BenchLayer(in, mid, size, 1, 1));
      layers.push_back(BenchLayer(mid, mid, size, 3, stride, mid));
      size /= stride;
      layers.push_back(BenchLayer(mid, stage.out, size, 1, 1));
      in = stage.out;
    }
  }
  layers.push_back(BenchLayer(320, 1280, 7, 1, 1));
  return layers;
}

inline std::vector<ConvF32Shape> Vgg16Layers() {
  std::vector<ConvF32Shape> layers;
  int64_t in = 3, size = 224;
  for (const auto& [out, repeats] : std::vector<std::pair<int64_t, int>>{
           {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
    for (int i = 0; i < repeats; ++i) {
      layers.push_back(BenchLayer(in, out, size, 3, 1));
      in = out;
    }
    size /= 2;
  }
  return layers;
}

}  // namespace stint

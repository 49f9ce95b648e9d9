#pragma once
// Convolutions with the answer of the plain reference, for tests of kernels on
// blocked images.

#include <functional>
#include <vector>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32.h"
#include "kernels/conv_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {

// Where element i of [batch, channels, plane] lies in a blocked image.
inline int64_t BlockedAt(int64_t i, int64_t channels, int64_t plane,
                         int64_t block) {
  const int64_t c = i / plane % channels;
  const int64_t image = i / plane / channels * CeilDiv(channels, block);
  return ((image + c / block) * plane + i % plane) * block + c % block;
}

inline std::vector<float> Blocked(const std::vector<float>& plain,
                                  int64_t channels, int64_t plane,
                                  int64_t block) {
  const int64_t count = static_cast<int64_t>(plain.size());
  std::vector<float> out(count / channels / plane *
                         BlockedFloats(channels, plane, block));
  for (int64_t i = 0; i < count; ++i) {
    out[BlockedAt(i, channels, plane, block)] = plain[i];
  }
  return out;
}

inline int64_t OutSize(int64_t in, int64_t kernel, int64_t stride,
                       int64_t dilation, int64_t pads) {
  return (in + pads - (kernel - 1) * dilation - 1) / stride + 1;
}

// Symmetric padding `pad` on all sides.
inline ConvF32Shape Square(int64_t in, int64_t out, int64_t size,
                           int64_t kernel, int64_t stride, int64_t pad) {
  ConvF32Shape s;
  s.in_channels = in;
  s.out_channels = out;
  s.in_h = s.in_w = size;
  s.kernel_h = s.kernel_w = kernel;
  s.stride_h = s.stride_w = stride;
  s.pad_top = s.pad_left = pad;
  s.out_h = s.out_w = OutSize(size, kernel, stride, 1, 2 * pad);
  return s;
}

// One convolution and the answer of the plain reference, with the residual and
// the activation applied in double.
struct ConvProblem {
  ConvF32Shape shape;
  Activation act;
  std::vector<float> x, w, bias, residual, want;
};

// `change` may alter the weights.
inline ConvProblem MakeConvProblem(
    const ConvF32Shape& s, const Activation& act, bool residual,
    const std::function<void(std::vector<float>* w)>& change = {}) {
  ConvProblem p{s, act, {}, {}, {}, {}, {}};
  p.x = RandomFloats(s.batch * s.in_channels * s.in_plane(), 1);
  p.w = RandomFloats(s.out_channels * s.group_in() * s.taps(), 2);
  if (change) change(&p.w);
  p.bias = RandomFloats(s.out_channels, 3);
  const int64_t outputs = s.batch * s.out_channels * s.out_plane();
  if (residual) p.residual = RandomFloats(outputs, 4);
  const ConvF32Args args{s, p.x.data(), p.w.data(), p.bias.data()};
  for (int64_t i = 0; i < outputs; ++i) {
    const int64_t image = i / s.out_plane();
    double sum =
        ReferenceConvSum(args, image / s.out_channels, image % s.out_channels,
                         i % s.out_plane() / s.out_w, i % s.out_w);
    if (residual) sum += p.residual[i];
    p.want.push_back(static_cast<float>(ReferenceActivation(sum, act)));
  }
  return p;
}

}  // namespace stint

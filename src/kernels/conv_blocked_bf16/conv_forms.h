#pragma once
// How the images of a convolution in bf16 lie in memory, and its arguments.

#include <cstdint>

#include "kernels/geometry/conv_shape.h"
#include "kernels/simd/activation.h"

namespace stint {

enum class ConvForm {
  kPlain,    // fp32 [batch, channels, h, w]; only read
  kBlocked,  // fp32 [batch, blocks, h, w, block], see conv_blocked_f32.h
  // bf16 [batch, blocks, h, w, 32]: a pixel is a row of a tile register, so
  // that 1x1 convolutions read the image as it is. Channels past the last hold
  // any finite numbers.
  kNarrow,
  kNone,  // there is no residual
};

inline constexpr int64_t kNarrowBlock = 32;

struct ConvForms {
  ConvForm x = ConvForm::kBlocked;
  ConvForm residual = ConvForm::kNone;
  ConvForm y = ConvForm::kBlocked;

  bool AnyNarrow() const {
    return x == ConvForm::kNarrow || residual == ConvForm::kNarrow ||
           y == ConvForm::kNarrow;
  }
};

struct ConvBf16Args {
  ConvF32Shape shape;
  ConvForms forms;
  const void* x = nullptr;
  const float* bias = nullptr;     // zeros up to a multiple of 32, or null
  const void* residual = nullptr;  // added before act, or null
  Activation act = {};
  void* y = nullptr;
  void* scratch = nullptr;  // as stated by the kernel, 64-byte aligned
};

}  // namespace stint

#include "kernels/conv_blocked_bf16/narrow_depthwise.h"

#include <algorithm>

#include "core/base/float_bits.h"
#include "core/platform/thread_pool.h"

namespace stint {

bool NarrowDepthwiseSupports(const ConvF32Shape& s, const ConvForms& forms) {
  return s.group_in() == 1 && s.group_out() == 1 &&
         forms.x == ConvForm::kNarrow && forms.y == ConvForm::kNarrow &&
         forms.residual != ConvForm::kBlocked;
}

int64_t NarrowDepthwisePackedBytes(const ConvF32Shape& s) {
  return RoundUp(s.out_channels, kNarrowBlock) * s.taps() *
         int64_t{sizeof(uint16_t)};
}

// [blocks][taps][32].
void NarrowDepthwisePack(const ConvF32Shape& s, const float* w,
                         uint16_t* packed) {
  const int64_t taps = s.taps();
  std::fill_n(packed, RoundUp(s.out_channels, kNarrowBlock) * taps,
              uint16_t{0});
  for (int64_t c = 0; c < s.out_channels; ++c) {
    uint16_t* to =
        packed + c / kNarrowBlock * taps * kNarrowBlock + c % kNarrowBlock;
    for (int64_t t = 0; t < taps; ++t) {
      to[t * kNarrowBlock] = FloatToBFloat16(w[c * taps + t]);
    }
  }
}

// Threads take rows of the image, as those of the convolutions before and after
// do, so that most pixels stay in a core's cache.
void RunNarrowDepthwise(const ConvTileCode& code, const ConvBf16Args& args,
                        const uint16_t* packed, ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const int64_t blocks = CeilDiv(s.out_channels, kNarrowBlock);
  const int64_t row = s.out_w * kNarrowBlock;
  const auto* x = static_cast<const uint16_t*>(args.x);
  const auto* residual = static_cast<const uint16_t*>(args.residual);
  auto* y = static_cast<uint16_t*>(args.y);
  const auto run = [&](int64_t image, int64_t b, int64_t r) {
    const int64_t block = image * blocks + b;
    const int64_t at = (block * s.out_h + r) * row;
    code.depthwise({&s, r, x + block * s.in_plane() * kNarrowBlock,
                    packed + b * s.taps() * kNarrowBlock,
                    args.bias ? args.bias + b * kNarrowBlock : nullptr,
                    residual ? residual + at : nullptr, y + at, args.act});
  };
  const int64_t grain = CeilDiv(kMinParallelWork, blocks * row * s.taps());
  pool->ParallelFor(s.batch * s.out_h, grain, [&](int64_t begin, int64_t end) {
    for (int64_t first = begin; first < end;) {
      const int64_t image = first / s.out_h;
      const int64_t last = std::min(end, (image + 1) * s.out_h);
      for (int64_t b = 0; b < blocks; ++b) {
        for (int64_t r = first; r < last; ++r) run(image, b, r % s.out_h);
      }
      first = last;
    }
  });
}

}  // namespace stint

#include "kernels/conv_f32/depthwise.h"

#include "core/platform/thread_pool.h"
#include "kernels/conv_f32/conv_f32_table.h"
#include "kernels/geometry/blocking.h"
#include "kernels/simd/padded_plane.h"

namespace stint {
namespace {

PaddedPlane Plane(const ConvF32Shape& s) {
  return MakePaddedPlane(
      {s.in_h, s.out_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top},
      {s.in_w, s.out_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left});
}

}  // namespace

bool DepthwiseSupports(const ConvF32Shape& shape) {
  return shape.group_in() == 1 && shape.groups > 1;
}

int64_t DepthwiseScratchBytes(const ConvF32Kernel&, const ConvF32Shape& shape,
                              int threads) {
  return threads * Plane(shape).floats * int64_t{sizeof(float)};
}

void DepthwiseConv(const ConvF32Kernel& kernel, const ConvF32Args& args,
                   ThreadPool* pool) {
  const ConvF32Shape& s = args.shape;
  const PaddedPlane plane = Plane(s);
  const PlaneInterior in = InteriorOf(plane);
  const int64_t total = s.batch * s.out_channels;
  const int parts =
      total * s.out_plane() * s.taps() < kMinParallelWork ? 1 : pool->threads();
  auto run = [&](int64_t part) {
    float* scratch = args.scratch + part * plane.floats;
    FillPadding(plane, 0, scratch);
    int64_t loaded = -1;
    for (int64_t i = total * part / parts; i < total * (part + 1) / parts;
         ++i) {
      const int64_t o = i % s.out_channels;
      const int64_t source = i / s.group_out();  // n * in_channels + c
      if (source != loaded) {
        kernel.copy({args.x + source * s.in_plane(), s.in_w, scratch + in.at,
                     plane.pitch, in.rows, in.cols, 1});
        loaded = source;
      }
      kernel.depthwise(
          {&s, scratch, plane.pitch, args.w + o * s.taps(),
           args.bias ? args.bias[o] : 0, args.y + i * s.out_plane(),
           args.residual ? args.residual + i * s.out_plane() : nullptr,
           args.act});
    }
  };
  pool->ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) run(part);
  });
}

}  // namespace stint

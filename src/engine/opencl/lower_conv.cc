// Convolutions of one or two spatial dimensions.

#include <algorithm>

#include "core/base/checked_math.h"
#include "engine/bind/conv_shape.h"
#include "engine/opencl/node_lowering.h"
#include "engine/opencl/strided.h"
#include "engine/reference/fused_activation.h"

namespace stint {
namespace {

cl_int Narrow(int64_t value) { return static_cast<cl_int>(value); }

struct ConvSizes {
  ConvF32Shape shape;
  int64_t blocks = 0;  // of output channels, in a group
  bool depthwise = false;
};

int64_t PackedCount(const ConvSizes& sizes, int64_t channels) {
  return sizes.shape.groups * sizes.blocks * sizes.shape.taps() *
         sizes.shape.group_in() * channels;
}

// [oc, c, kh, kw] to [group][block][kh][kw][c][channels]; zeros fill blocks.
void PackWeights(const Tensor& w, const ConvSizes& sizes, int64_t channels,
                 float* packed) {
  const ConvF32Shape& s = sizes.shape;
  const int64_t depth = s.group_in();
  const int64_t taps = s.taps();
  const float* from = w.data<float>();
  std::fill_n(packed, PackedCount(sizes, channels), 0.0f);
  for (int64_t oc = 0; oc < s.out_channels; ++oc) {
    const int64_t group = oc / sizes.shape.group_out();
    const int64_t within = oc % sizes.shape.group_out();
    const int64_t block = group * sizes.blocks + within / channels;
    for (int64_t c = 0; c < depth; ++c) {
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t to = ((block * taps + t) * depth + c) * channels;
        packed[to + within % channels] = from[(oc * depth + c) * taps + t];
      }
    }
  }
}

Result<ConvSizes> SizesOf(const Conv& op, NodeLowering* node) {
  if (node->in(0).size() > 4) {
    return Unsupported("input " + ToString(node->in(0)) +
                       ", OpenCL convolves one or two spatial dimensions");
  }
  ConvSizes sizes;
  STINT_ASSIGN_OR_RETURN(sizes.shape,
                         ConvShapeOf(op, node->in(0), node->in(1)));
  sizes.blocks = CeilDiv(sizes.shape.group_out(), node->tile().channels);
  sizes.depthwise = sizes.shape.group_in() == 1;
  return sizes;
}

Result<BufferNumber> WeightsOf(const ConvSizes& sizes, NodeLowering* node) {
  if (sizes.depthwise) return node->Input(1);
  const Tensor* w = node->constant(1);
  if (w == nullptr || w->dtype() != DType::kFloat32) {
    return Unsupported("its weights are not float32 constants");
  }
  const int64_t channels = node->tile().channels;
  return node->Weights(
      "weights", PackedCount(sizes, channels),
      [&](float* packed) { PackWeights(*w, sizes, channels, packed); });
}

OpenClLaunch LaunchOf(const ConvSizes& sizes, const OpenClTile& tile) {
  const ConvF32Shape& s = sizes.shape;
  OpenClLaunch launch;
  if (sizes.depthwise) {
    launch.kernel = "conv_depthwise";
    launch.items = {CeilDiv(s.out_w, tile.pixels) * s.out_h, s.out_channels,
                    s.batch};
  } else {
    launch.kernel = "conv";
    launch.items = {CeilDiv(s.out_plane(), tile.pixels) * sizes.blocks,
                    s.groups, s.batch};
  }
  return launch;
}

Status AddConv(const Conv& op, const Activation& activation,
               NodeLowering* node) {
  STINT_ASSIGN_OR_RETURN(const ConvSizes sizes, SizesOf(op, node));
  STINT_ASSIGN_OR_RETURN(const BufferNumber x, node->Input(0));
  STINT_ASSIGN_OR_RETURN(const BufferNumber w, WeightsOf(sizes, node));
  BufferNumber bias = x;
  BufferNumber residual = x;
  if (node->has(2)) {
    STINT_ASSIGN_OR_RETURN(bias, node->Input(2));
  }
  if (node->has(3)) {
    STINT_ASSIGN_OR_RETURN(residual, node->Input(3));
  }
  const ConvF32Shape& s = sizes.shape;
  const Int8 image = {Narrow(s.in_channels),
                      Narrow(s.in_h),
                      Narrow(s.in_w),
                      Narrow(s.group_in()),
                      Narrow(s.out_h),
                      Narrow(s.out_w),
                      Narrow(sizes.shape.group_out()),
                      Narrow(sizes.blocks)};
  const Int8 window = {Narrow(s.kernel_h),   Narrow(s.kernel_w),
                       Narrow(s.stride_h),   Narrow(s.stride_w),
                       Narrow(s.pad_top),    Narrow(s.pad_left),
                       Narrow(s.dilation_h), Narrow(s.dilation_w)};
  OpenClLaunch launch = LaunchOf(sizes, node->tile());
  launch.arguments = {
      x,
      w,
      bias,
      residual,
      node->Output(),
      image,
      window,
      Int4{node->has(2), node->has(3), static_cast<cl_int>(activation.curve)},
      Float2{activation.lo, activation.hi}};
  node->Launch(std::move(launch));
  return OkStatus();
}

}  // namespace

Status LowerConv(NodeLowering* node) {
  return AddConv(node->op<Conv>(), Activation::None(), node);
}

Status LowerFusedConv(NodeLowering* node) {
  const FusedConv& op = node->op<FusedConv>();
  return AddConv(op, ActivationOf(op), node);
}

}  // namespace stint

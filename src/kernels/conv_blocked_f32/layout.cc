#include "kernels/conv_blocked_f32/layout.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/checked_math.h"
#include "kernels/conv_blocked_f32/direct/direct.h"

namespace stint {
namespace {

constexpr std::string_view kFamily = "conv_blocked_f32/";
constexpr std::string_view kDirect = "direct";
constexpr std::string_view kFirst = "first";
constexpr std::string_view kDepthwise = "depthwise";

std::string_view KindOf(const ConvBlockedF32Kernel& kernel) {
  if (kernel.pack == BlockedDepthwisePack) return kDepthwise;
  if (kernel.pack == DirectPack) {
    return kernel.input == ImageLayout::kPlain ? kFirst : kDirect;
  }
  return kernel.primitive;
}

// The block of a layout of that kind.
std::optional<int64_t> ParseBlock(std::string_view layout,
                                  std::string_view kind) {
  if (!layout.starts_with(kFamily)) return std::nullopt;
  layout.remove_prefix(kFamily.size());
  if (!layout.starts_with(kind)) return std::nullopt;
  layout.remove_prefix(kind.size());
  int64_t block = 0;
  const char* last = layout.data() + layout.size();
  const auto [end, error] = std::from_chars(layout.data(), last, block);
  constexpr int64_t kWidest = 64;
  if (error != std::errc() || end != last || block <= 0 || block > kWidest) {
    return std::nullopt;
  }
  return block;
}

// Undoes DirectPack for planes of `lanes` input channels.
void UnpackDirect(const ConvF32Shape& s, int64_t block, int64_t lanes,
                  const float* from, float* w) {
  const int64_t stride = s.group_in() * s.taps();
  for (int64_t out = 0; out < s.out_channels;) {
    const int64_t left = s.group_out() - out % s.group_out();
    const int64_t used = std::min(block, left);
    for (int64_t first = 0; first < s.group_in(); first += lanes) {
      const int64_t last = std::min(first + lanes, s.group_in());
      for (int64_t tap = 0; tap < s.taps(); ++tap) {
        for (int64_t c = first; c < last; ++c, from += block) {
          float* to = w + out * stride + c * s.taps() + tap;
          for (int64_t o = 0; o < used; ++o) to[o * stride] = from[o];
        }
      }
    }
    out += used;
  }
}

void UnpackDepthwise(const ConvF32Shape& s, int64_t block, const float* from,
                     float* w) {
  for (int64_t c = 0; c < s.out_channels; ++c) {
    const float* lane = from + c / block * s.taps() * block + c % block;
    for (int64_t t = 0; t < s.taps(); ++t)
      w[c * s.taps() + t] = lane[t * block];
  }
}

}  // namespace

std::string ConvBlockedF32Layout(const ConvBlockedF32Kernel& kernel) {
  return std::string(kFamily) + std::string(KindOf(kernel)) +
         std::to_string(kernel.block);
}

const ConvBlockedF32Kernel* FindConvBlockedF32(std::string_view layout,
                                               const ConvF32Shape& shape,
                                               ImageLayout input, Isa cap) {
  const auto* best = PickConvBlockedF32(shape, input, cap);
  if (best != nullptr && ConvBlockedF32Layout(*best) == layout) return best;
  for (const ConvBlockedF32Kernel& kernel : ConvBlockedF32Table()) {
    if (kernel.isa <= cap && kernel.block == ConvBlockedF32Block(cap) &&
        kernel.input == input && kernel.supports(kernel, shape) &&
        ConvBlockedF32Layout(kernel) == layout) {
      return &kernel;
    }
  }
  return nullptr;
}

bool ConvBlockedF32CanUnpack(std::string_view layout) {
  return ParseBlock(layout, kDepthwise) || ParseBlock(layout, kDirect) ||
         ParseBlock(layout, kFirst);
}

bool ConvBlockedF32Unpack(std::string_view layout, const ConvF32Shape& shape,
                          std::span<const float> packed, float* w) {
  const auto size = static_cast<int64_t>(packed.size());
  if (const auto block = ParseBlock(layout, kDepthwise)) {
    if (size != RoundUp(shape.out_channels, *block) * shape.taps())
      return false;
    UnpackDepthwise(shape, *block, packed.data(), w);
    return true;
  }
  for (std::string_view kind : {kDirect, kFirst}) {
    const auto block = ParseBlock(layout, kind);
    if (!block) continue;
    if (size != shape.groups * RoundUp(shape.group_out(), *block) *
                    shape.group_in() * shape.taps()) {
      return false;
    }
    UnpackDirect(shape, *block, kind == kFirst ? 1 : *block, packed.data(), w);
    return true;
  }
  return false;
}

}  // namespace stint

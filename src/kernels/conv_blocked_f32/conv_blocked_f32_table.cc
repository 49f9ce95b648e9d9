#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

#include <algorithm>
#include <string_view>

#include "kernels/conv_blocked_f32/direct/direct.h"
#include "kernels/conv_blocked_f32/gathered.h"
#include "kernels/conv_blocked_f32/im2col.h"
#include "kernels/conv_blocked_f32/implicit.h"
#include "kernels/conv_blocked_f32/reference.h"
#include "kernels/conv_blocked_f32/spatial.h"

namespace stint {

extern const ConvTileSet kConvTilesAvx512;
extern const WinogradSet kWinograd2Avx512;
extern const WinogradSet kWinograd4Avx512;
extern const ConvTileSet kConvTilesAvx2;
extern const WinogradSet kWinograd2Avx2;
extern const WinogradSet kWinograd4Avx2;
extern const ConvTileSet kConvTilesNeon;
extern const ConvTileSet kConvTilesGeneric;
extern const WinogradSet kWinograd2Neon;
extern const WinogradSet kWinograd2Generic;
extern const WinogradSet kWinograd4Neon;
extern const WinogradSet kWinograd4Generic;
void BlockedDepthwiseAvx512(const ConvBlockedDepthwiseRow& row);
void BlockedDepthwiseAvx2(const ConvBlockedDepthwiseRow& row);
void BlockedDepthwiseNeon(const ConvBlockedDepthwiseRow& row);
void BlockedDepthwiseGeneric(const ConvBlockedDepthwiseRow& row);

namespace {

using Kernel = ConvBlockedF32Kernel;
using SupportsFn = bool (*)(const Kernel&, const ConvF32Shape&);

constexpr int kReferenceBlock = 8;

constexpr Kernel Direct(const char* name, const char* primitive, Isa isa,
                        const ConvTileSet* tiles, SupportsFn supports,
                        ImageLayout input = ImageLayout::kBlocked) {
  return {name,
          primitive,
          isa,
          isa >= Isa::kAvx512 ? 16 : 8,
          input,
          supports,
          DirectPackedBytes,
          DirectPack,
          DirectScratchBytes,
          DirectConv,
          tiles,
          nullptr,
          nullptr};
}

constexpr Kernel Depthwise(const char* name, Isa isa,
                           ConvBlockedDepthwiseFn run) {
  return {name,
          "depthwise",
          isa,
          isa >= Isa::kAvx512 ? 16 : 8,
          ImageLayout::kBlocked,
          BlockedDepthwiseSupports,
          BlockedDepthwisePackedBytes,
          BlockedDepthwisePack,
          BlockedDepthwiseScratchBytes,
          BlockedDepthwiseConv,
          nullptr,
          run,
          nullptr};
}

constexpr Kernel Winograd(const char* name, const char* primitive, Isa isa,
                          const ConvTileSet* tiles, const WinogradSet* set) {
  return {name,
          primitive,
          isa,
          isa >= Isa::kAvx512 ? 16 : 8,
          ImageLayout::kBlocked,
          WinogradSupports,
          WinogradPackedBytes,
          WinogradPack,
          WinogradScratchBytes,
          WinogradConv,
          tiles,
          nullptr,
          set};
}

// The three that copy pixels together and then multiply, on direct's weights.
constexpr Kernel Gathered(Kernel direct, const char* primitive,
                          SupportsFn supports,
                          decltype(Kernel::scratch_bytes) scratch_bytes,
                          decltype(Kernel::run) run) {
  direct.primitive = primitive;
  direct.supports = supports;
  direct.scratch_bytes = scratch_bytes;
  direct.run = run;
  return direct;
}

int64_t WeightCount(const ConvF32Shape& s) {
  return s.out_channels * s.group_in() * s.taps();
}
bool ReferenceSupports(const Kernel&, const ConvF32Shape&) { return true; }
int64_t ReferencePackedBytes(const Kernel&, const ConvF32Shape& s) {
  return WeightCount(s) * int64_t{sizeof(float)};
}
void ReferencePack(const Kernel&, const ConvF32Shape& s, const float* w,
                   float* packed, ThreadPool*) {
  std::copy_n(w, WeightCount(s), packed);
}
int64_t NoScratch(const Kernel&, const ConvF32Shape&, int) { return 0; }
void RunReference(const Kernel& kernel, const ConvBlockedF32Args& args,
                  ThreadPool*) {
  ReferenceConvBlockedF32(args, kernel.block);
}

// Winograd saves products but transforms images, and its larger weights come
// from memory in a forward pass. What a layer takes, in products for each pair
// of an input and an output channel: a transformed tile of a channel is worth
// 500 of them (m = 4) or 200 (m = 2), a weight 12 (7 on Zen 4, one thread, in
// layers of ResNet-18, 20, 56 and VGG-16 by `stint inspect --kernels
// --primitive winograd4`; memory is slower beside products elsewhere). A direct
// weight is read ahead of the products and worth 4: 512 channels at 4x4 take
// 790 us there.
double ProductsPerPair(const Kernel& kernel, const ConvF32Shape& s) {
  constexpr double kPerWeight = 12;
  constexpr double kPerDirectWeight = 4;
  const auto taps = static_cast<double>(s.taps());
  if (kernel.winograd == nullptr) {
    const auto pixels = static_cast<double>(s.batch * s.out_h * s.out_w);
    return taps * (pixels + kPerDirectWeight);
  }
  const int64_t m = kernel.winograd->m;
  const double per_transform = m == 4 ? 500 : 200;
  const auto tiles =
      static_cast<double>(s.batch * CeilDiv(s.out_h, m) * CeilDiv(s.out_w, m));
  const auto products = static_cast<double>((m + 2) * (m + 2));
  return products * (tiles + kPerWeight) +
         per_transform * tiles *
             (1.0 / static_cast<double>(s.in_channels) +
              1.0 / static_cast<double>(s.out_channels));
}

// Whether Winograd's form is faster than `other`, which needs less memory, by
// a tenth.
bool IsWorthItsMemory(const Kernel& winograd, const Kernel& other,
                      const ConvF32Shape& s) {
  return ProductsPerPair(winograd, s) < 0.9 * ProductsPerPair(other, s);
}

#define STINT_CONV_ROWS(isa, name, Suffix)                                     \
  Depthwise("depthwise_" name, isa, BlockedDepthwise##Suffix),                 \
      Direct("pointwise_" name, "pointwise", isa, &kConvTiles##Suffix,         \
             PointwiseSupports),                                               \
      Winograd("winograd4_" name, "winograd4", isa, &kConvTiles##Suffix,       \
               &kWinograd4##Suffix),                                           \
      Winograd("winograd2_" name, "winograd2", isa, &kConvTiles##Suffix,       \
               &kWinograd2##Suffix),                                           \
      Direct("direct_" name, "direct", isa, &kConvTiles##Suffix,               \
             DirectSupports),                                                  \
      Gathered(Direct("spatial_" name, "", isa, &kConvTiles##Suffix, nullptr), \
               "spatial", GatheredSupports, SpatialScratchBytes, SpatialConv), \
      Gathered(                                                                \
          Direct("implicit_" name, "", isa, &kConvTiles##Suffix, nullptr),     \
          "implicit", ImplicitSupports, ImplicitScratchBytes, ImplicitConv),   \
      Gathered(Direct("im2col_" name, "", isa, &kConvTiles##Suffix, nullptr),  \
               "im2col", GatheredSupports, Im2colScratchBytes, Im2colConv),    \
      Direct("first_" name, "first", isa, &kConvTiles##Suffix, FirstSupports,  \
             ImageLayout::kPlain)

constexpr Kernel kTable[] = {
#if defined(__x86_64__)
    STINT_CONV_ROWS(Isa::kAvx512, "avx512", Avx512),
    STINT_CONV_ROWS(Isa::kAvx2, "avx2", Avx2),
#elif defined(__aarch64__)
    STINT_CONV_ROWS(Isa::kBaseline, "neon", Neon),
#endif
    STINT_CONV_ROWS(Isa::kBaseline, "generic", Generic),
    {"reference", "reference", Isa::kBaseline, kReferenceBlock,
     ImageLayout::kBlocked, ReferenceSupports, ReferencePackedBytes,
     ReferencePack, NoScratch, RunReference, nullptr, nullptr, nullptr},
};

#undef STINT_CONV_ROWS

}  // namespace

std::span<const ConvBlockedF32Kernel> ConvBlockedF32Table() { return kTable; }

int ConvBlockedF32Block(Isa cap) {
  for (const Kernel& kernel : kTable) {
    if (kernel.isa <= cap) return kernel.block;
  }
  return kReferenceBlock;
}

std::vector<const ConvBlockedF32Kernel*> FittingConvBlockedF32(
    const ConvF32Shape& shape, ImageLayout input, Isa cap) {
  const int block = ConvBlockedF32Block(cap);
  std::vector<const Kernel*> fitting;
  for (const Kernel& kernel : kTable) {
    if (kernel.isa > cap || kernel.block != block ||
        kernel.run == RunReference || kernel.input != input ||
        !kernel.supports(kernel, shape)) {
      continue;
    }
    // Rows of a lower ISA with the same block come later.
    const bool better =
        std::any_of(fitting.begin(), fitting.end(), [&](const Kernel* other) {
          return std::string_view(other->primitive) == kernel.primitive;
        });
    if (!better) fitting.push_back(&kernel);
  }
  return fitting;
}

const ConvBlockedF32Kernel* PickConvBlockedF32(const ConvF32Shape& shape,
                                               ImageLayout input, Isa cap) {
  const auto fitting = FittingConvBlockedF32(shape, input, cap);
  // Earlier rows are better, but for Winograd's, larger m first, which depend.
  const Kernel* best = nullptr;
  for (auto it = fitting.rbegin(); it != fitting.rend(); ++it) {
    const bool depends = (*it)->winograd != nullptr && best != nullptr;
    if (!depends || IsWorthItsMemory(**it, *best, shape)) best = *it;
  }
  return best;
}

std::vector<std::string_view> ConvPrimitives() {
  std::vector<std::string_view> names;
  for (const Kernel& kernel : kTable) {
    if (kernel.run != RunReference &&
        std::count(names.begin(), names.end(), kernel.primitive) == 0) {
      names.push_back(kernel.primitive);
    }
  }
  return names;
}

}  // namespace stint

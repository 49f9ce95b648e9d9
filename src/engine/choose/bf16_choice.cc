#include "engine/choose/bf16_choice.h"

#include "engine/choose/choice_reason.h"

namespace stint {
namespace {

constexpr char kOnTiles[] = "products of bf16 do twice the work of fp32";
constexpr char kWidened[] =
    "fp32 kernels on widened weights are at least as fast";
constexpr char kNoProducts[] =
    "products of bf16 do not run this layer: fp32 kernels on widened weights";

// What the kernels that multiply bf16 are called on a machine of level `isa`.
std::string ProductsName(Isa isa) {
  return isa >= Isa::kAmx ? "bf16_tiles_amx" : "bf16_tiles_dot";
}

std::string WidenedName(const ConvBlockedF32Kernel& kernel) {
  return std::string("widened_") + kernel.name;
}

ImageLayout LayoutOf(ConvForm x) {
  return x == ConvForm::kPlain ? ImageLayout::kPlain : ImageLayout::kBlocked;
}

std::string WhyNotProducts(const ConvF32Shape& shape, const ConvForms& forms,
                           Isa isa) {
  if (isa < Isa::kBf16) return "needs " + std::string(IsaName(Isa::kBf16));
  if (!ConvTilesSupport(shape, forms)) return "does not compute this layer";
  return kWidened;
}

}  // namespace

ConvBlockedBf16Kernel ChooseBf16(const ConvF32Shape& shape,
                                 const ConvForms& forms, Isa isa) {
  return PickConvBlockedBf16(shape, forms, isa);
}

bool GainsByNarrowImages(const ConvF32Shape& shape, const ConvForms& forms,
                         Isa isa) {
  const ConvForm wide =
      forms.x == ConvForm::kPlain ? ConvForm::kPlain : ConvForm::kBlocked;
  return ChooseBf16(shape, forms, isa).tiles != nullptr &&
         !ConvPrefersF32(shape, wide, isa);
}

KernelChoice ExplainBf16(const ConvBlockedBf16Kernel& kernel,
                         const ConvF32Shape& shape, const ConvForms& forms,
                         Isa isa) {
  KernelCandidate products{ProductsName(isa)};
  KernelCandidate widened{"widened_fp32"};
  if (ConvTilesSupport(shape, forms)) {
    products.weight_bytes = ConvTilesPackedBytes(shape, forms.x);
  }
  const ConvBlockedF32Kernel* f32 =
      kernel.f32 != nullptr ? kernel.f32
                            : PickConvBlockedF32(shape, LayoutOf(forms.x), isa);
  if (f32 != nullptr) {
    widened.kernel = WidenedName(*f32);
    widened.weight_bytes = NarrowPackedBytes(*f32, shape);
  }
  KernelChoice choice;
  choice.reason = std::string(ReasonName(ConvReason::kDefault));
  if (kernel.tiles != nullptr) {
    choice.kernel = products.kernel;
    choice.rule = kOnTiles;
    widened.refused = forms.AnyNarrow() ? "does not read images in bf16"
                      : f32 == nullptr  ? "does not compute this layer"
                                        : kOnTiles;
  } else {
    choice.kernel = widened.kernel;
    products.refused = WhyNotProducts(shape, forms, isa);
    choice.rule = products.refused == kWidened ? kWidened : kNoProducts;
  }
  choice.candidates = {products, widened};
  return choice;
}

}  // namespace stint

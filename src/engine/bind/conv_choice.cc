#include "engine/bind/conv_choice.h"

#include <algorithm>
#include <cstdio>

#include "engine/device/conv_costs.h"

namespace stint {
namespace {

const ConvBlockedF32Kernel* Find(
    const std::vector<const ConvBlockedF32Kernel*>& rows,
    std::string_view primitive) {
  for (const ConvBlockedF32Kernel* row : rows) {
    if (row->primitive == primitive) return row;
  }
  return nullptr;
}

const std::vector<PrimitiveCost>* MeasuredOf(const ConvF32Shape& shape,
                                             ImageLayout input,
                                             const KernelSite& site) {
  if (site.conv_costs == nullptr) return nullptr;
  return site.conv_costs->Find(ConvLayerName(shape, input));
}

// Of primitives as fast as the fastest but for what a measurement can tell, the
// one with the smallest weights.
const ConvBlockedF32Kernel* Fastest(
    const std::vector<const ConvBlockedF32Kernel*>& rows,
    const ConvF32Shape& shape, const std::vector<PrimitiveCost>& costs) {
  constexpr double kNoise = 1.03;
  const ConvBlockedF32Kernel* best = nullptr;
  double least_us = 0;
  for (const PrimitiveCost& cost : costs) {
    const auto* row = Find(rows, cost.primitive);
    if (row == nullptr) continue;
    if (best == nullptr) {
      best = row;
      least_us = cost.us;
    } else if (cost.us <= kNoise * least_us &&
               row->packed_bytes(*row, shape) <
                   best->packed_bytes(*best, shape)) {
      best = row;
    }
  }
  return best;
}

// Weights that are packed larger than they are are worth a word.
std::string ExplainBytes(const ConvBlockedF32Kernel& kernel,
                         const ConvF32Shape& shape) {
  const double packed = static_cast<double>(kernel.packed_bytes(kernel, shape));
  const double plain =
      4.0 *
      static_cast<double>(shape.out_channels * shape.group_in() * shape.taps());
  if (packed < 1.5 * plain) return "";
  char text[64];
  std::snprintf(text, sizeof(text), "weights %.2f MB instead of %.2f MB",
                packed * 1e-6, plain * 1e-6);
  return text;
}

ConvChoice ChooseFrom(const std::vector<const ConvBlockedF32Kernel*>& rows,
                      const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site) {
  if (!site.primitive.empty()) {
    const auto* forced = Find(rows, site.primitive);
    if (forced != nullptr) return {forced, ConvReason::kForced};
  }
  if (const auto* costs = MeasuredOf(shape, input, site)) {
    const auto* fastest = Fastest(rows, shape, *costs);
    if (fastest != nullptr) return {fastest, ConvReason::kMeasured};
  }
  const auto* picked = PickConvBlockedF32(shape, input, site.isa);
  if (std::count(rows.begin(), rows.end(), picked) == 0 && !rows.empty()) {
    picked = rows[0];
  }
  return {picked, ConvReason::kDefault};
}

}  // namespace

std::string_view ReasonName(ConvReason reason) {
  switch (reason) {
    case ConvReason::kDefault:
      return "default";
    case ConvReason::kMeasured:
      return "measured";
    case ConvReason::kForced:
      return "forced";
  }
  return "";
}

int64_t WeightGrowth(const ConvBlockedF32Kernel& kernel,
                     const ConvF32Shape& shape, const KernelSite& site) {
  const int64_t bytes = kernel.packed_bytes(kernel, shape);
  int64_t least = bytes;
  for (const auto* row : FittingConvBlockedF32(shape, kernel.input, site.isa)) {
    least = std::min(least, row->packed_bytes(*row, shape));
  }
  return bytes - least;
}

ConvChoice ChooseConv(const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site) {
  auto rows = FittingConvBlockedF32(shape, input, site.isa);
  const ConvChoice choice = ChooseFrom(rows, shape, input, site);
  if (choice.kernel == nullptr || choice.reason == ConvReason::kForced ||
      site.allowance == nullptr ||
      WeightGrowth(*choice.kernel, shape, site) <= site.allowance->bytes) {
    return choice;
  }
  std::erase_if(rows, [&](const ConvBlockedF32Kernel* row) {
    return WeightGrowth(*row, shape, site) > site.allowance->bytes;
  });
  ConvChoice smaller = ChooseFrom(rows, shape, input, site);
  smaller.too_large = choice.kernel;
  return smaller;
}

KernelChoice ExplainConv(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site) {
  std::string detail;
  const auto* costs = MeasuredOf(shape, choice.kernel->input, site);
  if (costs != nullptr) {
    for (const PrimitiveCost& cost : *costs) {
      if (cost.primitive.starts_with("sparse")) continue;
      char us[32];
      std::snprintf(us, sizeof(us), " %.0f us", cost.us);
      detail += (detail.empty() ? "" : ", ") + cost.primitive + us;
    }
  }
  const std::string bytes = ExplainBytes(*choice.kernel, shape);
  if (!bytes.empty()) detail += (detail.empty() ? "" : "; ") + bytes;
  if (choice.too_large != nullptr) {
    const std::string name = choice.too_large->primitive;
    detail +=
        (detail.empty() ? "" : "; ") + name + " is over the memory budget";
  }
  return {choice.kernel->name, std::string(ReasonName(choice.reason)), detail};
}

std::vector<std::string_view> PrimitiveNames() {
  std::vector<std::string_view> names = ConvPrimitives();
  names.push_back("sparse");
  return names;
}

Status CheckPrimitive(std::string_view name) {
  const std::vector<std::string_view> names = PrimitiveNames();
  if (name.empty() || std::count(names.begin(), names.end(), name) > 0) {
    return OkStatus();
  }
  std::string known;
  for (std::string_view own : names) known += " " + std::string(own);
  return InvalidArgument("no primitive '" + std::string(name) + "'; there are" +
                         known);
}

}  // namespace stint

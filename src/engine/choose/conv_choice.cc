#include "engine/choose/conv_choice.h"

#include <algorithm>

#include "engine/device/conv_costs.h"
#include "engine/device/conv_schedules.h"
#include "kernels/conv_generated_f32/generated_conv.h"
#include "kernels/conv_sparse_f32/sparse_plan.h"

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

// Of primitives as fast as the fastest but for what a measurement can tell, the
// one with the smallest weights.
const ConvBlockedF32Kernel* Fastest(
    const std::vector<const ConvBlockedF32Kernel*>& rows,
    const ConvF32Shape& shape, const std::vector<PrimitiveCost>& costs) {
  const ConvBlockedF32Kernel* best = nullptr;
  double least_us = 0;
  for (const PrimitiveCost& cost : costs) {
    const auto* row = Find(rows, cost.primitive);
    if (row == nullptr) continue;
    if (best == nullptr) {
      best = row;
      least_us = cost.us;
    } else if (cost.us <= kConvNoise * least_us &&
               row->packed_bytes(*row, shape) <
                   best->packed_bytes(*best, shape)) {
      best = row;
    }
  }
  return best;
}

// Direct convolution in whatever form the layer has it.
const ConvBlockedF32Kernel* FindDirect(
    const std::vector<const ConvBlockedF32Kernel*>& rows) {
  for (const char* primitive : {"depthwise", "pointwise", "direct", "first"}) {
    if (const auto* row = Find(rows, primitive)) return row;
  }
  return nullptr;
}

// What was tuned for the layer, if that counts; or null.
const ConvPlan* TunedPlan(const ConvF32Shape& shape, ImageLayout input,
                          const KernelSite& site) {
  if (site.schedule_mode != ScheduleMode::kTuned || site.schedules == nullptr) {
    return nullptr;
  }
  const auto* tuned = site.schedules->Find(ConvLayerName(shape, input));
  return tuned != nullptr ? &tuned->plan : nullptr;
}

// By its tuned schedule where the layer has one for this primitive.
ConvChoice ChooseForced(const std::vector<const ConvBlockedF32Kernel*>& rows,
                        const ConvF32Shape& shape, ImageLayout input,
                        const KernelSite& site) {
  ConvChoice choice{nullptr, ConvReason::kForced};
  const ConvPlan* tuned = TunedPlan(shape, input, site);
  if (site.schedule_mode == ScheduleMode::kUntuned) {
    choice.schedule = kUntunedSchedule;
  } else if (tuned != nullptr && tuned->primitive == site.primitive) {
    choice.schedule = tuned->schedule;
  }
  if (site.primitive != kGeneratedPrimitive) {
    choice.kernel = Find(rows, site.primitive);
  } else if (GeneratedConv::Supports(shape, site.isa)) {
    choice.kernel = FindDirect(rows);
    choice.generated = true;
  }
  return choice;
}

// A tuned one that fits the layer; else `kernel` is null.
ConvChoice ChooseTuned(const std::vector<const ConvBlockedF32Kernel*>& rows,
                       const ConvF32Shape& shape, ImageLayout input,
                       const KernelSite& site) {
  const ConvPlan* tuned = TunedPlan(shape, input, site);
  if (tuned == nullptr) return {};
  ConvChoice choice = ChoiceOf(*tuned, shape, input, site.isa);
  if (std::count(rows.begin(), rows.end(), choice.kernel) == 0) return {};
  choice.reason = ConvReason::kTuned;
  return choice;
}

ConvChoice ChooseFrom(const std::vector<const ConvBlockedF32Kernel*>& rows,
                      const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site) {
  if (!site.primitive.empty()) {
    const ConvChoice forced = ChooseForced(rows, shape, input, site);
    if (forced.kernel != nullptr) return forced;
  }
  if (site.schedule_mode == ScheduleMode::kUntuned) {
    return {FindDirect(rows), ConvReason::kUntuned, nullptr, kUntunedSchedule};
  }
  const ConvChoice tuned = ChooseTuned(rows, shape, input, site);
  if (tuned.kernel != nullptr) return tuned;
  if (const auto* costs = MeasuredConv(shape, input, site)) {
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

const std::vector<PrimitiveCost>* MeasuredConv(const ConvF32Shape& shape,
                                               ImageLayout input,
                                               const KernelSite& site) {
  if (site.conv_costs == nullptr) return nullptr;
  return site.conv_costs->Find(ConvLayerName(shape, input));
}

bool HasBlockedKernel(const ConvF32Shape& shape, ImageLayout input, Isa isa) {
  return PickConvBlockedF32(shape, input, isa) != nullptr;
}

ConvChoice ChoiceOf(const ConvPlan& plan, const ConvF32Shape& shape,
                    ImageLayout input, Isa isa) {
  const auto rows = FittingConvBlockedF32(shape, input, isa);
  ConvChoice choice;
  choice.schedule = plan.schedule;
  choice.generated = plan.primitive == kGeneratedPrimitive;
  if (!choice.generated) {
    choice.kernel = Find(rows, plan.primitive);
  } else if (GeneratedConv::Supports(shape, isa)) {
    choice.kernel = FindDirect(rows);
  }
  return choice;
}

ConvPlan PlanOf(const ConvChoice& choice) {
  return {choice.generated ? std::string(kGeneratedPrimitive)
                           : std::string(choice.kernel->primitive),
          choice.schedule};
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
  ConvChoice choice = ChooseFrom(rows, shape, input, site);
  if (site.allowance != nullptr) choice.allowed_bytes = site.allowance->bytes;
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
  smaller.allowed_bytes = choice.allowed_bytes;
  return smaller;
}

std::vector<std::string_view> PrimitiveNames() {
  std::vector<std::string_view> names = ConvPrimitives();
  names.push_back(kGeneratedPrimitive);
  for (SparseGather gather : kSparseGathers) {
    names.push_back(SparseGatherName(gather));
  }
  return names;
}

bool IsSparsePrimitive(std::string_view name) {
  return SparseGatherNamed(name).has_value();
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

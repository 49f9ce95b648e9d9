#include <cstdio>

#include "engine/choose/conv_choice.h"
#include "engine/device/conv_schedules.h"
#include "kernels/conv_generated_f32/generated_conv.h"

namespace stint {
namespace {

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

std::string KernelName(const ConvChoice& choice) {
  const std::string name = choice.kernel->name;
  if (!choice.generated) return name;
  return std::string(kGeneratedPrimitive) + name.substr(name.find('_'));
}

// "direct:t8x2, 12.3 us instead of 15.0 us".
std::string ExplainTuned(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site) {
  std::string text = ToText(PlanOf(choice));
  const auto* tuned =
      site.schedules == nullptr
          ? nullptr
          : site.schedules->Find(ConvLayerName(shape, choice.kernel->input));
  if (choice.reason != ConvReason::kTuned || tuned == nullptr) return text;
  char times[64];
  std::snprintf(times, sizeof(times), ", %.1f us instead of %.1f us", tuned->us,
                tuned->default_us);
  return text + times;
}

// "winograd4 50 us, direct 100 us".
std::string ListTimes(const std::vector<PrimitiveCost>& costs) {
  std::string text;
  for (const PrimitiveCost& cost : costs) {
    if (cost.primitive.starts_with("sparse")) continue;
    char us[32];
    std::snprintf(us, sizeof(us), " %.0f us", cost.us);
    text += (text.empty() ? "" : ", ") + cost.primitive + us;
  }
  return text;
}

std::string RuleOf(const ConvChoice& choice) {
  if (choice.packed) return "the file's weights are packed for it";
  switch (choice.reason) {
    case ConvReason::kForced:
      return "the primitive that was asked for";
    case ConvReason::kTuned:
      return "the schedule that stint tune found for this layer";
    case ConvReason::kUntuned:
      return "untuned: direct convolution by one schedule for all layers";
    case ConvReason::kMeasured:
      return "the fastest measured on this machine; of those within 3 %, the "
             "one with the smallest weights";
    case ConvReason::kDefault:
      break;
  }
  return "by shape: the first of the table that computes it, Winograd's where "
         "it saves enough products for the size of its weights";
}

double MeasuredUs(const std::vector<PrimitiveCost>* costs,
                  std::string_view primitive) {
  if (costs == nullptr) return 0;
  for (const PrimitiveCost& cost : *costs) {
    if (cost.primitive == primitive) return cost.us;
  }
  return 0;
}

// Why a kernel that computes the layer and fits the memory is not the choice.
std::string RankedBelow(const ConvChoice& choice, double us, double best_us,
                        bool winograd) {
  const std::string chosen = choice.kernel->primitive;
  if (choice.packed) return "the file's weights are packed for " + chosen;
  switch (choice.reason) {
    case ConvReason::kForced:
      return "another primitive is asked for";
    case ConvReason::kTuned:
      return "stint tune found " + ToText(PlanOf(choice)) + " to be faster";
    case ConvReason::kUntuned:
      return "untuned runs are direct convolutions";
    case ConvReason::kMeasured:
      if (us == 0) return "not measured for this layer";
      return us > kConvNoise * best_us ? "measured slower"
                                       : "as fast, but its weights are larger";
    case ConvReason::kDefault:
      break;
  }
  return winograd ? "saves too few products for the size of its weights"
                  : chosen + " comes before it for layers of this shape";
}

std::string RefusalOf(const ConvBlockedF32Kernel& row, const ConvChoice& choice,
                      const ConvF32Shape& shape, const KernelSite& site) {
  if (&row == choice.kernel && !choice.generated) return "";
  const auto* costs = MeasuredConv(shape, row.input, site);
  const bool over_memory =
      choice.allowed_bytes && choice.reason != ConvReason::kForced &&
      WeightGrowth(row, shape, site) > *choice.allowed_bytes;
  if (over_memory) return "its larger weights are over the memory budget";
  const double least = costs == nullptr ? 0 : costs->front().us;
  return RankedBelow(choice, MeasuredUs(costs, row.primitive), least,
                     row.winograd != nullptr);
}

// The best row of a primitive for the instruction set; null: it has none.
const ConvBlockedF32Kernel* RowHere(std::string_view primitive, Isa isa) {
  for (const ConvBlockedF32Kernel& row : ConvBlockedF32Table()) {
    if (row.primitive == primitive && row.isa <= isa &&
        row.block == ConvBlockedF32Block(isa)) {
      return &row;
    }
  }
  return nullptr;
}

KernelCandidate CandidateOf(const ConvBlockedF32Kernel& row,
                            const ConvChoice& choice, const ConvF32Shape& shape,
                            const KernelSite& site) {
  KernelCandidate candidate{row.name};
  if (row.input != choice.kernel->input || !row.supports(row, shape)) {
    candidate.refused = "does not compute this layer";
    return candidate;
  }
  candidate.us =
      MeasuredUs(MeasuredConv(shape, row.input, site), row.primitive);
  candidate.weight_bytes = row.packed_bytes(row, shape);
  candidate.refused = RefusalOf(row, choice, shape, site);
  return candidate;
}

KernelCandidate GeneratedCandidate(const ConvChoice& choice,
                                   const ConvF32Shape& shape, Isa isa) {
  KernelCandidate candidate{std::string(kGeneratedPrimitive)};
  if (choice.generated) {
    candidate.kernel = KernelName(choice);
    candidate.weight_bytes = choice.kernel->packed_bytes(*choice.kernel, shape);
  } else if (!GeneratedConv::Supports(shape, isa)) {
    candidate.refused = "no code is generated for this layer";
  } else {
    candidate.refused = "runs only where it is tuned or asked for";
  }
  return candidate;
}

}  // namespace

std::vector<KernelCandidate> ConvCandidates(const ConvChoice& choice,
                                            const ConvF32Shape& shape,
                                            const KernelSite& site) {
  std::vector<KernelCandidate> candidates;
  for (std::string_view primitive : ConvPrimitives()) {
    const auto* row = RowHere(primitive, site.isa);
    if (row == nullptr) continue;
    candidates.push_back(CandidateOf(*row, choice, shape, site));
  }
  candidates.push_back(GeneratedCandidate(choice, shape, site.isa));
  return candidates;
}

KernelChoice ExplainConv(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site) {
  std::string detail;
  const bool scheduled = choice.reason == ConvReason::kTuned ||
                         choice.reason == ConvReason::kUntuned;
  if (scheduled) detail = ExplainTuned(choice, shape, site);
  const auto* costs = MeasuredConv(shape, choice.kernel->input, site);
  if (costs != nullptr && !scheduled) detail = ListTimes(*costs);
  const std::string bytes = ExplainBytes(*choice.kernel, shape);
  if (!bytes.empty()) detail += (detail.empty() ? "" : "; ") + bytes;
  if (choice.too_large != nullptr) {
    const std::string name = choice.too_large->primitive;
    detail +=
        (detail.empty() ? "" : "; ") + name + " is over the memory budget";
  }
  return {KernelName(choice),
          std::string(ReasonName(choice.reason)),
          detail,
          ToText(PlanOf(choice)),
          RuleOf(choice),
          ConvCandidates(choice, shape, site)};
}

}  // namespace stint

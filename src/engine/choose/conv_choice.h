#pragma once
// Which primitive computes a blocked convolution by which schedule, and why:
// forced by name, tuned or the fastest measured on this machine, or the kernel
// family's default.

#include <optional>
#include <string_view>
#include <vector>

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "engine/choose/choice_reason.h"
#include "engine/device/conv_costs.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {

struct ConvChoice {
  const ConvBlockedF32Kernel* kernel = nullptr;  // null: no row fits the layer
  ConvReason reason = ConvReason::kDefault;
  // What the site's allowance ruled out, which would have been chosen; or null.
  const ConvBlockedF32Kernel* too_large = nullptr;
  ConvSchedule schedule = {};
  // Code is generated for the shape, and reads weights as `kernel` packs them.
  bool generated = false;
  // The weights are packed for `kernel` already, and that decided.
  bool packed = false;
  // KernelSite::allowance when it was chosen; nothing: there was no limit.
  std::optional<int64_t> allowed_bytes = {};
};

// The primitive whose code is generated.
inline constexpr std::string_view kGeneratedPrimitive = "generated";

// The schedule of ScheduleMode::kUntuned: direct convolution with a register
// tile of 8 pixels by 2 output blocks, or as many as the registers hold.
inline constexpr ConvSchedule kUntunedSchedule = {.tile_blocks = 2,
                                                  .tile_pixels = 8};

// What `plan` means for a layer; `kernel` is null where it does not fit.
ConvChoice ChoiceOf(const ConvPlan& plan, const ConvF32Shape& shape,
                    ImageLayout input, Isa isa);
// The other way round.
ConvPlan PlanOf(const ConvChoice& choice);

// By how much the primitive's packed weights are larger than the smallest of
// any primitive that fits the layer.
int64_t WeightGrowth(const ConvBlockedF32Kernel& kernel,
                     const ConvF32Shape& shape, const KernelSite& site);

// A forced primitive that does not fit the layer is passed over, and so is,
// unless it is forced, one whose weights grow by more than the site allows.
ConvChoice ChooseConv(const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site);

// What a measurement can tell apart: times within it count as equal.
inline constexpr double kConvNoise = 1.03;

// Whether any blocked kernel computes a layer like this.
bool HasBlockedKernel(const ConvF32Shape& shape, ImageLayout input, Isa isa);

// What was measured of the layer, fastest first; null: nothing.
const std::vector<PrimitiveCost>* MeasuredConv(const ConvF32Shape& shape,
                                               ImageLayout input,
                                               const KernelSite& site);

// The dense primitives and generated code, each with what it costs and why it
// was not chosen.
std::vector<KernelCandidate> ConvCandidates(const ConvChoice& choice,
                                            const ConvF32Shape& shape,
                                            const KernelSite& site);

// The detail has the measured times of the layer, fastest first, and the size
// of the weights where packing makes them larger. Candidates are the dense
// ones.
KernelChoice ExplainConv(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site);

// The names that can be forced: the dense primitives, then "generated" and
// those that skip weights that are 0: "sparse", "sparse_im2col" and
// "sparse_spatial".
std::vector<std::string_view> PrimitiveNames();

// Whether `name` is one of those that skip zeros, which for linear layers and
// integers are the same.
bool IsSparsePrimitive(std::string_view name);

// kInvalidArgument with the names there are, when `name` is none of them.
Status CheckPrimitive(std::string_view name);

}  // namespace stint

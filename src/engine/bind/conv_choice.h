#pragma once
// Which primitive computes a blocked convolution, and why: forced by name, the
// fastest measured on this machine, or the kernel family's default.

#include <string_view>
#include <vector>

#include "engine/bind/kernel_site.h"
#include "engine/bind/node_kernel.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {

enum class ConvReason { kDefault, kMeasured, kForced };
std::string_view ReasonName(ConvReason reason);  // "default", ...

struct ConvChoice {
  const ConvBlockedF32Kernel* kernel = nullptr;  // null: no row fits the layer
  ConvReason reason = ConvReason::kDefault;
  // What the site's allowance ruled out, which would have been chosen; or null.
  const ConvBlockedF32Kernel* too_large = nullptr;
};

// By how much the primitive's packed weights are larger than the smallest of
// any primitive that fits the layer.
int64_t WeightGrowth(const ConvBlockedF32Kernel& kernel,
                     const ConvF32Shape& shape, const KernelSite& site);

// A forced primitive that does not fit the layer is passed over, and so is,
// unless it is forced, one whose weights grow by more than the site allows.
ConvChoice ChooseConv(const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site);

// The detail has the measured times of the layer, fastest first, and the size
// of the weights where packing makes them larger.
KernelChoice ExplainConv(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site);

// The names that can be forced: the dense primitives, then "sparse", which
// skips weights that are 0.
std::vector<std::string_view> PrimitiveNames();

// kInvalidArgument with the names there are, when `name` is none of them.
Status CheckPrimitive(std::string_view name);

}  // namespace stint

#pragma once
// Which primitive computes a blocked convolution, and why: forced by name, the
// fastest measured on this machine, or the kernel family's default.

#include <string_view>

#include "engine/bind/kernel_site.h"
#include "engine/bind/node_kernel.h"
#include "kernels/conv_blocked_f32/conv_blocked_f32_table.h"

namespace stint {

enum class ConvReason { kDefault, kMeasured, kForced };

struct ConvChoice {
  const ConvBlockedF32Kernel* kernel = nullptr;  // null: no row fits the layer
  ConvReason reason = ConvReason::kDefault;
};

// A forced primitive that does not fit the layer is passed over.
ConvChoice ChooseConv(const ConvF32Shape& shape, ImageLayout input,
                      const KernelSite& site);

// The detail has the measured times of the layer, fastest first, and the size
// of the weights where packing makes them larger.
KernelChoice ExplainConv(const ConvChoice& choice, const ConvF32Shape& shape,
                         const KernelSite& site);

// kInvalidArgument with the names there are, when `name` is none of them.
Status CheckPrimitive(std::string_view name);

}  // namespace stint

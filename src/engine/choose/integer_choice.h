#pragma once
// Which kernel computes a convolution on bytes, and why.

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/bind/kernel_choice.h"
#include "engine/bind/kernel_site.h"
#include "engine/choose/choice_reason.h"
#include "kernels/conv_s8/conv_s8_table.h"

namespace stint {

// The layer on one image, whose height is 0 where it is not known, and its
// weights [out_channels, group_in, kernel_h, kernel_w].
struct IntegerQuery {
  ConvF32Shape shape;
  const int8_t* w = nullptr;
};

struct IntegerChoice {
  const ConvS8Kernel* kernel = nullptr;
  ConvReason reason = ConvReason::kDefault;
  // Why not the kernels that depend on more than shapes; empty: not considered,
  // or chosen.
  std::string_view not_sparse = {};
  std::string_view not_winograd = {};
  // The weights are packed for `kernel` already, and that decided.
  bool packed = false;
};

// Takes what larger weights need from the site's allowance.
IntegerChoice ChooseInteger(const IntegerQuery& query, const KernelSite& site);

KernelChoice ExplainInteger(const IntegerChoice& choice,
                            const ConvF32Shape& shape, Isa isa);

}  // namespace stint

#pragma once
// Running sums and products along an axis, and determinants.

#include <span>
#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

enum class CumulativeKind { kSum, kProd };
struct CumulativeName {
  CumulativeKind kind;
  std::string_view name;
};

// Inputs x, axis (one integer). exclusive: without the element itself.
struct Cumulative {
  CumulativeKind kind = CumulativeKind::kSum;
  int64_t exclusive = 0;
  int64_t reverse = 0;
  STINT_FIELDS(exclusive, reverse)
};

// Of the square matrices in the last two dimensions.
struct Det {
  static constexpr std::string_view kName = "Det";
  STINT_FIELDS()
};

std::span<const CumulativeName> KindNames(const Cumulative*);

Status Infer(const Cumulative& op, InferContext& ctx);
Status Infer(const Det& op, InferContext& ctx);

}  // namespace stint

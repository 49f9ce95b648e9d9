#pragma once
// Reductions along axes.

#include <span>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

enum class ReduceKind {
  kL1,
  kL2,
  kLogSum,
  kLogSumExp,
  kMax,
  kMean,
  kMin,
  kProd,
  kSum,
  kSumSquare,
};

struct ReduceName {
  ReduceKind kind;
  std::string_view name;
};

// Inputs data, axes (optional int64: all, or none with noop_with_empty_axes).
struct Reduce {
  ReduceKind kind = ReduceKind::kSum;
  int64_t keepdims = 1;
  int64_t noop_with_empty_axes = 0;
  STINT_FIELDS(keepdims, noop_with_empty_axes)
};

enum class ArgKind { kMax, kMin };
struct ArgName {
  ArgKind kind;
  std::string_view name;
};

// The int64 position of the extreme element along the axis.
struct ArgReduce {
  ArgKind kind = ArgKind::kMax;
  int64_t axis = 0;
  int64_t keepdims = 1;
  int64_t select_last_index = 0;
  STINT_FIELDS(axis, keepdims, select_last_index)
};

std::span<const ReduceName> KindNames(const Reduce*);
std::span<const ArgName> KindNames(const ArgReduce*);

Status Infer(const Reduce& op, InferContext& ctx);
Status Infer(const ArgReduce& op, InferContext& ctx);

// The axes that a reduction of `rank` dimensions runs over, given the contents
// of its axes input (empty when absent).
Result<std::vector<int64_t>> ReduceAxes(const Reduce& op,
                                        const std::vector<int64_t>& axes,
                                        int64_t rank);

}  // namespace stint

#pragma once
// Sequences of tensors and optional values. Negative positions count from the
// end.

#include <string_view>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Inputs are the elements, of one type.
struct SequenceConstruct {
  static constexpr std::string_view kName = "SequenceConstruct";
  STINT_FIELDS()
};

struct SequenceEmpty {
  static constexpr std::string_view kName = "SequenceEmpty";
  DType dtype = DType::kFloat32;
  STINT_FIELDS(dtype)
};

// Inputs sequence, tensor, position (optional: at the end).
struct SequenceInsert {
  static constexpr std::string_view kName = "SequenceInsert";
  STINT_FIELDS()
};

// Inputs sequence, position (optional: the last).
struct SequenceErase {
  static constexpr std::string_view kName = "SequenceErase";
  STINT_FIELDS()
};

// Inputs sequence, position.
struct SequenceAt {
  static constexpr std::string_view kName = "SequenceAt";
  STINT_FIELDS()
};

struct SequenceLength {
  static constexpr std::string_view kName = "SequenceLength";
  STINT_FIELDS()
};

// Inputs x, split (optional: a size, or a vector of sizes; absent: 1). With
// keepdims 0 and no split the axis is dropped.
struct SplitToSequence {
  static constexpr std::string_view kName = "SplitToSequence";
  int64_t axis = 0;
  int64_t keepdims = 1;
  STINT_FIELDS(axis, keepdims)
};

// new_axis 1 stacks along a new axis.
struct ConcatFromSequence {
  static constexpr std::string_view kName = "ConcatFromSequence";
  int64_t axis = 0;
  int64_t new_axis = 0;
  STINT_FIELDS(axis, new_axis)
};

// The input (absent: nothing) as an optional.
struct MakeOptional {
  static constexpr std::string_view kName = "Optional";
  STINT_FIELDS()
};

// A value that is not optional counts as one that is there.
struct OptionalHasElement {
  static constexpr std::string_view kName = "OptionalHasElement";
  STINT_FIELDS()
};
struct OptionalGetElement {
  static constexpr std::string_view kName = "OptionalGetElement";
  STINT_FIELDS()
};

Status Infer(const SequenceConstruct& op, InferContext& ctx);
Status Infer(const SequenceEmpty& op, InferContext& ctx);
Status Infer(const SequenceInsert& op, InferContext& ctx);
Status Infer(const SequenceErase& op, InferContext& ctx);
Status Infer(const SequenceAt& op, InferContext& ctx);
Status Infer(const SequenceLength& op, InferContext& ctx);
Status Infer(const SplitToSequence& op, InferContext& ctx);
Status Infer(const ConcatFromSequence& op, InferContext& ctx);
Status Infer(const MakeOptional& op, InferContext& ctx);
Status Infer(const OptionalHasElement& op, InferContext& ctx);
Status Infer(const OptionalGetElement& op, InferContext& ctx);

}  // namespace stint

#pragma once
// Reference evaluation of ops that move elements.

#include "engine/reference/eval_context.h"
#include "model/ops/movement/arrange.h"
#include "model/ops/movement/gather.h"
#include "model/ops/movement/reshape.h"
#include "model/ops/movement/slice.h"

namespace stint {

// Indices as numbers in [0, size); an index out of range is an error.
Result<std::vector<int64_t>> ReadIndices(const Tensor& tensor, int64_t size);
// The same to memory of the caller, as many as the tensor has elements.
Status ReadIndices(const Tensor& tensor, int64_t size, int64_t* to);

Status Eval(const Reshape& op, EvalContext& ctx);
Status Eval(const Flatten& op, EvalContext& ctx);
Status Eval(const Squeeze& op, EvalContext& ctx);
Status Eval(const Unsqueeze& op, EvalContext& ctx);
Status Eval(const Expand& op, EvalContext& ctx);
Status Eval(const Shape_& op, EvalContext& ctx);
Status Eval(const Size_& op, EvalContext& ctx);
Status Eval(const Transpose& op, EvalContext& ctx);
Status Eval(const Concat& op, EvalContext& ctx);
Status Eval(const Split& op, EvalContext& ctx);
Status Eval(const Tile& op, EvalContext& ctx);
Status Eval(const DepthToSpace& op, EvalContext& ctx);
Status Eval(const SpaceToDepth& op, EvalContext& ctx);
Status Eval(const Slice& op, EvalContext& ctx);
Status Eval(const Pad& op, EvalContext& ctx);
Status Eval(const Gather& op, EvalContext& ctx);
Status Eval(const GatherElements& op, EvalContext& ctx);
Status Eval(const GatherND& op, EvalContext& ctx);

// Copies elements of `in`, read at `start` with `strides` (in elements, may be
// negative or 0) over the dimensions `dims`, to consecutive elements of `out`.
void CopyStrided(const Tensor& in, int64_t start,
                 const std::vector<int64_t>& strides, const Shape& dims,
                 Tensor* out);

}  // namespace stint

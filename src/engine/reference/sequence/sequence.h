#pragma once
// Reference evaluation of ops on sequences and optionals. Elements of a
// sequence own their memory: it outlives the buffers of the run.

#include "engine/reference/eval_context.h"
#include "model/ops/sequence/sequence.h"

namespace stint {

Status Eval(const SequenceConstruct& op, EvalContext& ctx);
Status Eval(const SequenceEmpty& op, EvalContext& ctx);
Status Eval(const SequenceInsert& op, EvalContext& ctx);
Status Eval(const SequenceErase& op, EvalContext& ctx);
Status Eval(const SequenceAt& op, EvalContext& ctx);
Status Eval(const SequenceLength& op, EvalContext& ctx);
Status Eval(const SplitToSequence& op, EvalContext& ctx);
Status Eval(const ConcatFromSequence& op, EvalContext& ctx);
Status Eval(const MakeOptional& op, EvalContext& ctx);
Status Eval(const OptionalHasElement& op, EvalContext& ctx);
Status Eval(const OptionalGetElement& op, EvalContext& ctx);

}  // namespace stint

#pragma once
// Reference evaluation of ops on strings and tokens.

#include "engine/reference/eval_context.h"
#include "model/ops/strings/strings.h"

namespace stint {

Status Eval(const StringNormalizer& op, EvalContext& ctx);
Status Eval(const StringConcat& op, EvalContext& ctx);
Status Eval(const StringSplit& op, EvalContext& ctx);
Status Eval(const TfIdfVectorizer& op, EvalContext& ctx);

}  // namespace stint

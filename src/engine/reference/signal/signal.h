#pragma once
// Reference evaluation of Fourier transforms, windows and random tensors.

#include "engine/reference/eval_context.h"
#include "model/ops/generate/random.h"
#include "model/ops/signal/signal.h"

namespace stint {

Status Eval(const DFT& op, EvalContext& ctx);
Status Eval(const STFT& op, EvalContext& ctx);
Status Eval(const SignalWindow& op, EvalContext& ctx);
Status Eval(const MelWeightMatrix& op, EvalContext& ctx);
Status Eval(const RandomNormal& op, EvalContext& ctx);
Status Eval(const RandomUniform& op, EvalContext& ctx);
Status Eval(const RandomNormalLike& op, EvalContext& ctx);
Status Eval(const RandomUniformLike& op, EvalContext& ctx);
Status Eval(const Bernoulli& op, EvalContext& ctx);
Status Eval(const Multinomial& op, EvalContext& ctx);

}  // namespace stint

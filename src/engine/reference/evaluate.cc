#include "engine/reference/evaluate.h"

#include "engine/reference/attention/attention.h"
#include "engine/reference/elementwise/elementwise.h"
#include "engine/reference/fused/blocked.h"
#include "engine/reference/fused/fused.h"
#include "engine/reference/fused/quantized.h"
#include "engine/reference/linear/linear.h"
#include "engine/reference/movement/movement.h"
#include "engine/reference/movement/scatter.h"
#include "engine/reference/nn/loss.h"
#include "engine/reference/nn/nn.h"
#include "engine/reference/quantize/quantize.h"
#include "engine/reference/recurrent/recurrent.h"
#include "engine/reference/reduce/reduce.h"
#include "engine/reference/resample/resample.h"
#include "engine/reference/select/select.h"
#include "engine/reference/sequence/sequence.h"
#include "engine/reference/sequence/strings.h"
#include "engine/reference/signal/signal.h"

namespace stint {
namespace {

Status Eval(const If&, EvalContext&) {
  return InternalError("control flow is run by the executor");
}
Status Eval(const Loop&, EvalContext&) {
  return InternalError("control flow is run by the executor");
}
Status Eval(const Scan&, EvalContext&) {
  return InternalError("control flow is run by the executor");
}
Status Eval(const SequenceMap&, EvalContext&) {
  return InternalError("control flow is run by the executor");
}

}  // namespace

Status Evaluate(const Op& op, EvalContext& ctx) {
  return Visit([&](const auto& o) { return Eval(o, ctx); }, op);
}

}  // namespace stint

#include "engine/bind/evaluate.h"

#include "engine/bind/reference/attention/attention.h"
#include "engine/bind/reference/elementwise/elementwise.h"
#include "engine/bind/reference/fused/blocked.h"
#include "engine/bind/reference/fused/fused.h"
#include "engine/bind/reference/fused/quantized.h"
#include "engine/bind/reference/linear/linear.h"
#include "engine/bind/reference/movement/movement.h"
#include "engine/bind/reference/movement/scatter.h"
#include "engine/bind/reference/nn/loss.h"
#include "engine/bind/reference/nn/nn.h"
#include "engine/bind/reference/quantize/quantize.h"
#include "engine/bind/reference/recurrent/recurrent.h"
#include "engine/bind/reference/reduce/reduce.h"
#include "engine/bind/reference/resample/resample.h"
#include "engine/bind/reference/select/select.h"
#include "engine/bind/reference/sequence/sequence.h"
#include "engine/bind/reference/sequence/strings.h"
#include "engine/bind/reference/signal/signal.h"

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

#include "engine/bind/evaluate.h"

#include "engine/bind/reference/attention.h"
#include "engine/bind/reference/elementwise.h"
#include "engine/bind/reference/linear.h"
#include "engine/bind/reference/loss.h"
#include "engine/bind/reference/movement.h"
#include "engine/bind/reference/nn.h"
#include "engine/bind/reference/quantize.h"
#include "engine/bind/reference/recurrent.h"
#include "engine/bind/reference/reduce.h"
#include "engine/bind/reference/resample.h"
#include "engine/bind/reference/scatter.h"
#include "engine/bind/reference/select.h"
#include "engine/bind/reference/sequence.h"
#include "engine/bind/reference/signal.h"
#include "engine/bind/reference/strings.h"

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
  return std::visit([&](const auto& o) { return Eval(o, ctx); }, op);
}

}  // namespace stint

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"
#include "convert/passes/product.h"

namespace stint {
namespace {

constexpr float kSqrtHalf = 0.70710678118654752f;
constexpr float kSqrtTwoOverPi = 0.79788456080286536f;
constexpr float kCubic = 0.044715f;

// value is scale * x.
bool IsScaled(const Matcher& match, ValueId value, ValueId x, double scale) {
  const Product p = ProductOf(match, value);
  return p.factors == std::vector<ValueId>{x} && IsClose(p.scale, scale);
}

// value is scale * x^3.
bool IsCube(const Matcher& match, ValueId value, ValueId x, double scale) {
  const Product p = ProductOf(match, value);
  if (!IsClose(p.scale, scale)) return false;
  if (p.factors == std::vector<ValueId>{x, x, x}) return true;
  if (p.factors.size() != 1) return false;
  const Node* power = match.MadeBy(BinaryKind::kPow, p.factors[0]);
  return power != nullptr && power->inputs[0] == x &&
         match.IsScalar(power->inputs[1], 3.0f);
}

// value is sqrt(2 / pi) * (x + 0.044715 x^3).
bool IsTanhArgument(const Matcher& match, ValueId value, ValueId x) {
  const Product p = ProductOf(match, value);
  if (p.factors.size() != 1 || !IsClose(p.scale, kSqrtTwoOverPi)) return false;
  const Node* sum = match.MadeBy(BinaryKind::kAdd, p.factors[0]);
  if (sum == nullptr) return false;
  for (size_t i = 0; i < 2; ++i) {
    if (sum->inputs[i] == x && IsCube(match, sum->inputs[1 - i], x, kCubic)) {
      return true;
    }
  }
  return false;
}

// `gate` is 1 + erf(x / sqrt 2) or 1 + tanh(...); the name of the
// approximation, or null.
const char* GateOf(const Matcher& match, ValueId gate, ValueId x) {
  const Node* sum = match.MadeBy(BinaryKind::kAdd, gate);
  if (sum == nullptr) return nullptr;
  const ValueId curve = match.BesideScalar(*sum, 1.0f);
  if (const Node* erf = match.MadeBy(UnaryKind::kErf, curve)) {
    return IsScaled(match, erf->inputs[0], x, kSqrtHalf) ? "none" : nullptr;
  }
  if (const Node* tanh = match.MadeBy(UnaryKind::kTanh, curve)) {
    return IsTanhArgument(match, tanh->inputs[0], x) ? "tanh" : nullptr;
  }
  return nullptr;
}

}  // namespace

// x / 2 * (1 + erf(x / sqrt 2)), or with tanh, its factors in any order.
Result<int> FuseGelu(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  for (NodeId id : graph->order()) {
    Node& node = graph->node(id);
    const Binary* binary = As<Binary>(node.op);
    if (binary == nullptr || !match.IsFloat32(node.outputs[0])) continue;
    const Product p = ProductOf(match, node.outputs[0]);
    if (p.factors.size() != 2 || !IsClose(p.scale, 0.5)) continue;
    for (size_t i = 0; i < 2; ++i) {
      const ValueId x = p.factors[i];
      const char* approximate = GateOf(match, p.factors[1 - i], x);
      if (approximate == nullptr) continue;
      node.op = Gelu{approximate};
      node.inputs = {x};
      ++count;
      break;
    }
  }
  return count;
}

}  // namespace stint

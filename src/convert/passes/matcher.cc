#include "convert/passes/matcher.h"

#include <algorithm>
#include <cmath>

namespace stint {

bool IsClose(double a, double b) {
  return std::fabs(a - b) <= 1e-5 * std::fabs(b);
}

Matcher::Matcher(Graph* graph)
    : graph_(graph), readers_(graph->num_values(), 0) {
  for (NodeId id : graph->order()) {
    for (ValueId in : graph->node(id).inputs) {
      if (in.valid()) ++readers_[in.index];
    }
  }
  for (ValueId out : graph->outputs()) ++readers_[out.index];
}

bool Matcher::ReadOnce(const Node& node) const {
  int count = 0;
  for (ValueId out : node.outputs) {
    // A value made by the running pass has no count yet.
    if (!out.valid()) continue;
    if (out.index >= static_cast<int32_t>(readers_.size())) return false;
    count += readers_[out.index];
  }
  return count == 1;
}

Node* Matcher::MadeBy(BinaryKind kind, ValueId value) const {
  Node* node = Made<Binary>(value);
  return node != nullptr && As<Binary>(node->op)->kind == kind ? node : nullptr;
}

Node* Matcher::MadeBy(UnaryKind kind, ValueId value) const {
  Node* node = Made<Unary>(value);
  return node != nullptr && As<Unary>(node->op)->kind == kind ? node : nullptr;
}

Node* Matcher::MadeOnceBy(BinaryKind kind, ValueId value) const {
  Node* node = MadeBy(kind, value);
  return node != nullptr && ReadOnce(*node) ? node : nullptr;
}

Node* Matcher::MadeOnceBy(UnaryKind kind, ValueId value) const {
  Node* node = MadeBy(kind, value);
  return node != nullptr && ReadOnce(*node) ? node : nullptr;
}

const Tensor* Matcher::Constant(ValueId value) const {
  if (!value.valid()) return nullptr;
  const GraphValue& v = graph_->value(value);
  return v.constant ? &*v.constant : nullptr;
}

std::optional<float> Matcher::Scalar(ValueId value) const {
  const Tensor* tensor = Constant(value);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 ||
      tensor->size() != 1) {
    return std::nullopt;
  }
  return *tensor->data<float>();
}

bool Matcher::IsScalar(ValueId value, float expected) const {
  const auto found = Scalar(value);
  return found &&
         IsClose(static_cast<double>(*found), static_cast<double>(expected));
}

ValueId Matcher::BesideScalar(const Node& node, float expected) const {
  for (size_t i = 0; i < 2; ++i) {
    if (IsScalar(node.inputs[i], expected)) return node.inputs[1 - i];
  }
  return kNoValue;
}

bool Matcher::IsFloat32(ValueId value) const {
  const ValueType& type = graph_->value(value).type;
  return type.typed && type.is_tensor() && type.dtype == DType::kFloat32;
}

bool Matcher::SameType(ValueId a, ValueId b) const {
  const ValueType& x = graph_->value(a).type;
  const ValueType& y = graph_->value(b).type;
  return x.typed && x.ranked && x == y &&
         std::find(x.dims.begin(), x.dims.end(), kUnknownDim) == x.dims.end();
}

}  // namespace stint

#include <algorithm>
#include <optional>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"

namespace stint {
namespace {

// An element of an integer tensor: a number, or the size that a symbol names.
struct Element {
  enum Kind { kNumber, kSymbol, kUnknown } kind = kUnknown;
  int64_t value = 0;
};
using Elements = std::vector<Element>;

// Follows the arithmetic that exporters do on shapes.
class ShapeValues {
 public:
  explicit ShapeValues(const Graph* graph)
      : graph_(graph), known_(graph->num_values()) {}

  // Elements of an integer scalar or vector; nothing when they are not known.
  const std::optional<Elements>& Of(ValueId value) {
    // A constant that the pass has just made is nobody's source yet.
    static const std::optional<Elements> kNothing;
    if (value.index >= static_cast<int32_t>(known_.size())) return kNothing;
    auto& known = known_[value.index];
    const GraphValue& v = graph_->value(value);
    if (!known && v.constant && IsIndex(v.type) && v.constant->rank() <= 1 &&
        v.constant->size() <= kMaxElements) {
      known.emplace();
      for (int64_t number : IntsOf(*v.constant)) {
        known->push_back({Element::kNumber, number});
      }
    }
    return known;
  }

  void Follow(const Node& node) {
    if (node.outputs.empty() || !node.outputs[0].valid()) return;
    if (auto result = Result(node)) {
      known_[node.outputs[0].index] = std::move(*result);
    }
  }

 private:
  static constexpr int64_t kMaxElements = 16;

  static bool IsIndex(const ValueType& type) {
    return type.typed && type.is_tensor() &&
           (type.dtype == DType::kInt64 || type.dtype == DType::kInt32);
  }

  std::optional<Elements> Result(const Node& node) {
    if (const auto* shape = As<Shape_>(node.op)) return OfShape(*shape, node);
    if (As<Gather>(node.op) != nullptr) return OfGather(node);
    if (const auto* concat = As<Concat>(node.op)) {
      return concat->axis == 0 ? OfConcat(node) : std::nullopt;
    }
    if (As<Slice>(node.op) != nullptr) return OfSlice(node);
    const auto* cast = As<Cast>(node.op);
    const bool same = As<Unsqueeze>(node.op) || As<Squeeze>(node.op) ||
                      (cast != nullptr && cast->to == DType::kInt64);
    // A vector stays a vector of the same elements, a scalar may become one.
    if (!same || !IsIndex(graph_->value(node.inputs[0]).type)) {
      return std::nullopt;
    }
    return Of(node.inputs[0]);
  }

  std::optional<Elements> OfShape(const Shape_& op, const Node& node) const {
    const ValueType& type = graph_->value(node.inputs[0]).type;
    if (!type.ranked || !type.is_tensor()) return std::nullopt;
    Elements elements;
    for (int64_t dim : ShapeSlice(op, type.dims)) {
      elements.push_back({IsKnown(dim)          ? Element::kNumber
                          : dim <= kFirstSymbol ? Element::kSymbol
                                                : Element::kUnknown,
                          dim});
    }
    return elements;
  }

  std::optional<Elements> OfGather(const Node& node) {
    const auto& data = Of(node.inputs[0]);
    const auto& index = Of(node.inputs[1]);
    if (!data || !index) return std::nullopt;
    const int64_t size = static_cast<int64_t>(data->size());
    Elements elements;
    for (const Element& i : *index) {
      const int64_t at = i.value < 0 ? i.value + size : i.value;
      if (i.kind != Element::kNumber || at < 0 || at >= size) {
        return std::nullopt;
      }
      elements.push_back((*data)[static_cast<size_t>(at)]);
    }
    return elements;
  }

  std::optional<Elements> OfConcat(const Node& node) {
    Elements elements;
    for (ValueId in : node.inputs) {
      const auto& part = Of(in);
      if (!part) return std::nullopt;
      elements.insert(elements.end(), part->begin(), part->end());
    }
    return elements;
  }

  // The one number of an optional input, or `absent`.
  std::optional<int64_t> Number(const Node& node, size_t i, int64_t absent) {
    if (node.inputs.size() <= i || !node.inputs[i].valid()) return absent;
    const auto& elements = Of(node.inputs[i]);
    if (!elements || elements->size() != 1 ||
        (*elements)[0].kind != Element::kNumber) {
      return std::nullopt;
    }
    return (*elements)[0].value;
  }

  std::optional<Elements> OfSlice(const Node& node) {
    const auto data = Of(node.inputs[0]);
    const auto start = Number(node, 1, 0);
    const auto end = Number(node, 2, 0);
    if (!data || !start || !end || Number(node, 4, 1) != 1) {
      return std::nullopt;
    }
    const int64_t size = static_cast<int64_t>(data->size());
    const auto clamp = [&](int64_t i) {
      return std::clamp<int64_t>(i < 0 ? i + size : i, 0, size);
    };
    const int64_t first = clamp(*start);
    return Elements(data->begin() + first,
                    data->begin() + std::max(first, clamp(*end)));
  }

  const Graph* graph_;
  std::vector<std::optional<Elements>> known_;
};

// A constant that reshapes `input` as `target` does: 0 keeps a dimension, one
// -1 stands for a size that has only a name. Nothing when that is not enough.
std::optional<std::vector<int64_t>> ConstantTarget(const Elements& target,
                                                   const ValueType& input) {
  std::vector<int64_t> numbers;
  int free = 0;
  for (size_t i = 0; i < target.size(); ++i) {
    const Element& element = target[i];
    if (element.kind == Element::kUnknown) return std::nullopt;
    const bool kept = element.kind == Element::kSymbol && input.ranked &&
                      i < input.dims.size() && input.dims[i] == element.value;
    if (element.kind == Element::kNumber) {
      numbers.push_back(element.value);
    } else {
      numbers.push_back(kept ? 0 : -1);
    }
    if (numbers.back() == -1) ++free;
  }
  if (free > 1) return std::nullopt;
  return numbers;
}

bool HasOnlyNumbers(const Elements& elements) {
  return std::all_of(elements.begin(), elements.end(), [](const Element& e) {
    return e.kind == Element::kNumber;
  });
}

// Makes an index value that is known in full a constant.
bool FoldShape(const std::optional<Elements>& elements, ValueId value,
               Graph* graph) {
  const GraphValue& v = graph->value(value);
  if (!elements || v.constant || !HasOnlyNumbers(*elements) ||
      v.type.dtype != DType::kInt64 || !v.type.ranked) {
    return false;
  }
  std::vector<int64_t> numbers;
  for (const Element& e : *elements) numbers.push_back(e.value);
  if (v.type.rank() == 1) {
    graph->MakeConstant(value, Tensor::Vector(numbers));
    return true;
  }
  if (v.type.rank() != 0 || numbers.size() != 1) return false;
  graph->MakeConstant(value, Tensor::Scalar(numbers[0]));
  return true;
}

// Gives each dimension that only the run knows a name of its own, so that it is
// recognized where it comes back.
void NameUnknownDims(const Node& node, Graph* graph) {
  for (ValueId out : node.outputs) {
    if (!out.valid()) continue;
    ValueType& type = graph->value(out).type;
    if (!type.ranked || !type.is_tensor()) continue;
    for (size_t i = 0; i < type.dims.size(); ++i) {
      if (type.dims[i] != kUnknownDim) continue;
      type.dims[i] =
          graph->Symbol(graph->value(out).name + "." + std::to_string(i));
    }
  }
}

// Replaces the target of a reshape by a constant where it is known.
bool FoldTarget(ShapeValues* values, Node* node, Graph* graph) {
  const auto* reshape = As<Reshape>(node->op);
  if (reshape == nullptr || reshape->allowzero ||
      graph->value(node->inputs[1]).constant) {
    return false;
  }
  const auto& target = values->Of(node->inputs[1]);
  if (!target) return false;
  const auto numbers =
      ConstantTarget(*target, graph->value(node->inputs[0]).type);
  if (!numbers) return false;
  node->inputs[1] =
      graph->AddConstant(node->name + ".target", Tensor::Vector(*numbers));
  return true;
}

}  // namespace

// Shapes that are computed from shapes: where the result is known, as far as
// named dimensions are, it becomes a constant.
Result<int> SimplifyShapes(Graph* graph) {
  ShapeValues values(graph);
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    Node& node = graph->node(id);
    if (FoldTarget(&values, &node, graph)) ++count;
    STINT_RETURN_IF_ERROR(InferNode(graph, id));
    NameUnknownDims(node, graph);
    values.Follow(node);
    const ValueId out = node.outputs.empty() ? kNoValue : node.outputs[0];
    if (out.valid() && FoldShape(values.Of(out), out, graph)) ++count;
  }
  return count;
}

}  // namespace stint

#include <algorithm>

#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"
#include "engine/nodes/evaluate_now.h"

namespace stint {
namespace {

// A result may be this much larger than its inputs: a range or a mask of a few
// thousand elements is worth storing, a spread-out weight is not.
constexpr int64_t kMaxGrowthBytes = 64 * 1024;

bool IsFoldable(const Op& op) {
  // Weights that are stored as integers stay so.
  return !IsControlFlow(op) && !IsRandom(op) &&
         As<DequantizeLinear>(op) == nullptr;
}

// Linear layers read transposed weights where they lie.
bool IsTransposedWeight(const Graph& graph, const Node& node) {
  if (As<Transpose>(node.op) == nullptr) return false;
  const ValueType& type = graph.value(node.inputs[0]).type;
  return type.ranked && type.rank() == 2;
}

// Weights that are stored in two bytes: kernels read float32.
bool IsWidening(const Graph& graph, const Node& node) {
  const auto* cast = As<Cast>(node.op);
  if (cast == nullptr || cast->to != DType::kFloat32) return false;
  const DType from = graph.value(node.inputs[0]).type.dtype;
  return from == DType::kFloat16 || from == DType::kBFloat16;
}

int64_t BytesOf(const std::vector<Value>& values) {
  int64_t bytes = 0;
  for (const Value& value : values) {
    if (value.is_tensor())
      bytes += static_cast<int64_t>(value.tensor().bytes());
  }
  return bytes;
}

// Its inputs are constants, of which there is one at least.
bool HasConstantInputs(const Matcher& match, const Node& node) {
  int constants = 0;
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    if (match.Constant(in) == nullptr) return false;
    ++constants;
  }
  return constants > 0;
}

// Evaluates the node; nothing when it fails (the run will say why), when its
// results are no tensors or much larger than its inputs.
std::optional<std::vector<Value>> ResultsOf(const Graph& graph,
                                            const Node& node,
                                            ThreadPool* pool) {
  std::vector<Value> values;
  std::vector<InferContext::Input> known;
  values.reserve(node.inputs.size());
  for (ValueId in : node.inputs) {
    values.push_back(in.valid() ? Value(*graph.value(in).constant) : Value());
    known.push_back(in.valid() ? InferContext::Input{&graph.value(in).type,
                                                     &*graph.value(in).constant}
                               : InferContext::Input{});
  }
  std::vector<const Value*> inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    inputs.push_back(node.inputs[i].valid() ? &values[i] : nullptr);
  }
  InferContext types(std::move(known), static_cast<int>(node.outputs.size()));
  if (!InferTypes(node.op, types).ok()) return std::nullopt;
  const int64_t most =
      BytesOf(values) * (IsWidening(graph, node) ? 2 : 1) + kMaxGrowthBytes;
  int64_t bytes = 0;
  for (const ValueType& out : types.outputs()) {
    if (!out.IsConcrete() || !out.is_tensor()) continue;
    bytes += ProductOf(out.dims.data(), out.dims.data() + out.dims.size()) *
             static_cast<int64_t>(DTypeSize(out.dtype));
  }
  if (bytes > most) return std::nullopt;
  auto results = EvaluateNow(node.op, types, inputs, KernelSite{}, pool);
  if (!results.ok() || BytesOf(*results) > most) return std::nullopt;
  const bool tensors =
      std::all_of(results->begin(), results->end(),
                  [](const Value& value) { return value.is_tensor(); });
  return tensors ? std::optional(std::move(results).value()) : std::nullopt;
}

}  // namespace

// What depends on constants alone is computed once. Always on the same kernels,
// so the result does not depend on the machine.
Result<int> FoldConstants(Graph* graph) {
  const Matcher match(graph);
  ThreadPool pool(1);
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    const Node& node = graph->node(id);
    if (!IsFoldable(node.op) || IsTransposedWeight(*graph, node) ||
        !HasConstantInputs(match, node)) {
      continue;
    }
    auto results = ResultsOf(*graph, node, &pool);
    if (!results) continue;
    const std::vector<ValueId> outputs = node.outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!outputs[i].valid()) continue;
      graph->MakeConstant(outputs[i], std::move((*results)[i].tensor()));
    }
    ++count;
  }
  return count;
}

}  // namespace stint

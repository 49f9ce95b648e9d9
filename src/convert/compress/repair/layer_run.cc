#include "convert/compress/repair/layer_run.h"

#include <algorithm>

#include "engine/nodes/evaluate_now.h"

namespace stint {
namespace {

// Turned weights of so many bytes are kept for the next sample.
constexpr int64_t kMostMadeBytes = 64 << 20;

int64_t BytesOf(const Value& value) {
  return value.is_tensor() ? static_cast<int64_t>(value.tensor().bytes()) : 0;
}

// What nodes that read nothing but constants make, nodes by id.
std::vector<bool> FindConstantNodes(const Graph& graph,
                                    const std::vector<NodeId>& order) {
  std::vector<bool> constant(graph.num_nodes(), false);
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    if (node.inputs.empty() || IsRandom(node.op)) continue;
    constant[static_cast<size_t>(id.index)] =
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId in) {
          if (!in.valid() || graph.value(in).constant) return true;
          const NodeId maker = graph.value(in).producer;
          return maker.valid() && constant[static_cast<size_t>(maker.index)];
        });
  }
  return constant;
}

}  // namespace

LayerRun::LayerRun(const Graph& graph, const std::vector<NodeId>& order,
                   ThreadPool* pool)
    : graph_(graph),
      pool_(pool),
      values_(graph.num_values()),
      last_reader_(graph.num_values()),
      is_output_(graph.num_values(), false),
      constant_(FindConstantNodes(graph, order)) {
  for (NodeId id : order) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) last_reader_[static_cast<size_t>(in.index)] = id;
    }
  }
  for (ValueId out : graph.outputs()) {
    is_output_[static_cast<size_t>(out.index)] = true;
  }
}

void LayerRun::Start(const std::vector<Value>& inputs) {
  std::fill(values_.begin(), values_.end(), std::nullopt);
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    values_[static_cast<size_t>(graph_.inputs()[i].index)] = inputs[i];
  }
}

void LayerRun::Start(const std::vector<HeldValue>& held) {
  std::fill(values_.begin(), values_.end(), std::nullopt);
  for (const HeldValue& one : held) values_[one.index] = one.value;
}

std::vector<HeldValue> LayerRun::Save() const {
  std::vector<HeldValue> held;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (values_[i]) held.push_back({i, *values_[i]});
  }
  return held;
}

Result<const Value*> LayerRun::Input(ValueId in) {
  const auto index = static_cast<size_t>(in.index);
  if (index < values_.size() && values_[index]) return &*values_[index];
  if (const auto made = made_.find(in); made != made_.end()) {
    return &made->second;
  }
  const auto& constant = graph_.value(in).constant;
  if (constant) return &(made_[in] = Value(*constant));
  const NodeId maker = graph_.value(in).producer;
  if (!maker.valid() || !constant_[static_cast<size_t>(maker.index)]) {
    return InternalError("value '" + graph_.value(in).name + "' is not there");
  }
  constant_[static_cast<size_t>(maker.index)] = false;
  const Status status = Run(maker);
  constant_[static_cast<size_t>(maker.index)] = true;
  STINT_RETURN_IF_ERROR(status);
  for (ValueId out : graph_.node(maker).outputs) {
    if (!out.valid()) continue;
    auto& value = values_[static_cast<size_t>(out.index)];
    if (!value) continue;
    made_bytes_ += BytesOf(*value);
    made_[out] = *std::exchange(value, std::nullopt);
  }
  return &made_.at(in);
}

Status LayerRun::Run(NodeId id) {
  const Node& node = graph_.node(id);
  if (constant_[static_cast<size_t>(id.index)]) return OkStatus();
  if (IsControlFlow(node.op)) {
    return Unsupported(Describe(node) + ": control flow");
  }
  std::vector<ValueType> types(node.inputs.size());
  std::vector<const Value*> inputs(node.inputs.size(), nullptr);
  std::vector<InferContext::Input> known(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId in = node.inputs[i];
    if (!in.valid()) continue;
    STINT_ASSIGN_OR_RETURN(inputs[i], Input(in));
    if (!inputs[i]->is_tensor()) {
      return Unsupported(Describe(node) + ": not a tensor");
    }
    const Tensor& tensor = inputs[i]->tensor();
    types[i] = ValueType::Of(tensor.dtype(), tensor.shape());
    // Numbers of shapes are known; what flows through layers is not constant.
    const bool is_known = graph_.value(in).constant || !IsFloat(tensor.dtype());
    known[i] = {&types[i], is_known ? &tensor : nullptr};
  }
  InferContext ctx(known, static_cast<int>(node.outputs.size()));
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx).Annotate(Describe(node)));
  const KernelSite site{DetectIsa(), pool_->threads()};
  auto outputs = EvaluateNow(node.op, ctx, inputs, site, pool_);
  STINT_RETURN_IF_ERROR(outputs.status().Annotate(Describe(node)));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) Put(node.outputs[i], std::move((*outputs)[i]));
  }
  return OkStatus();
}

void LayerRun::Put(ValueId value, Value made) {
  const auto index = static_cast<size_t>(value.index);
  values_[index] = std::move(made);
}

void LayerRun::TakeOutputs(NodeId id, const LayerRun& other) {
  for (ValueId out : graph_.node(id).outputs) {
    if (!out.valid()) continue;
    const auto index = static_cast<size_t>(out.index);
    values_[index] = other.values_[index];
  }
}

void LayerRun::Release(NodeId id) {
  if (made_bytes_ > kMostMadeBytes) ForgetConstants();
  const Node& node = graph_.node(id);
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    const auto index = static_cast<size_t>(in.index);
    if (index < values_.size() && last_reader_[index] == id &&
        !is_output_[index]) {
      values_[index].reset();
    }
  }
  for (ValueId out : node.outputs) {
    if (!out.valid()) continue;
    const auto index = static_cast<size_t>(out.index);
    if (!last_reader_[index].valid() && !is_output_[index]) {
      values_[index].reset();
    }
  }
}

Tensor* LayerRun::Find(ValueId value) {
  const auto index = static_cast<size_t>(value.index);
  if (index >= values_.size() || !values_[index]) return nullptr;
  Value& held = *values_[index];
  if (!held.is_tensor() || held.tensor().dtype() != DType::kFloat32 ||
      held.tensor().size() == 0) {
    return nullptr;
  }
  return &held.tensor();
}

int64_t LayerRun::HeldBytes() const {
  int64_t bytes = 0;
  for (const auto& value : values_) {
    if (value) bytes += BytesOf(*value);
  }
  return bytes;
}

}  // namespace stint

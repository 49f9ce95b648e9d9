#include "convert/compress/layerwise_run.h"

#include <algorithm>
#include <cstring>

#include "engine/bind/evaluate_now.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

// Rows of one sample. More would not make kernels faster, only values larger.
constexpr size_t kRows = 32;

bool SameTypes(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].tensor().dtype() != b[i].tensor().dtype() ||
        a[i].tensor().shape() != b[i].tensor().shape()) {
      return false;
    }
  }
  return true;
}

bool IsBatchFree(const Graph& graph) {
  return std::all_of(
      graph.inputs().begin(), graph.inputs().end(), [&](ValueId in) {
        const ValueType& type = graph.value(in).type;
        return type.ranked && type.rank() > 0 && !IsKnown(type.dims[0]);
      });
}

// One sample of samples[begin, end), whose types are equal.
Result<std::vector<Value>> Join(const Samples& samples, size_t begin,
                                size_t end) {
  std::vector<Value> joined;
  for (size_t i = 0; i < samples[begin].size(); ++i) {
    const Tensor& first = samples[begin][i].tensor();
    Shape shape = first.shape();
    shape[0] *= static_cast<int64_t>(end - begin);
    STINT_ASSIGN_OR_RETURN(Tensor all, Tensor::Allocate(first.dtype(), shape));
    for (size_t s = begin; s < end; ++s) {
      std::memcpy(static_cast<char*>(all.raw()) + (s - begin) * first.bytes(),
                  samples[s][i].tensor().raw(), first.bytes());
    }
    joined.emplace_back(std::move(all));
  }
  return joined;
}

Result<Samples> JoinRows(const Samples& rows) {
  Samples joined;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin + 1;
    while (end < rows.size() && end - begin < kRows &&
           SameTypes(rows[begin], rows[end])) {
      ++end;
    }
    STINT_ASSIGN_OR_RETURN(auto sample, Join(rows, begin, end));
    joined.push_back(std::move(sample));
    begin = end;
  }
  return joined;
}

}  // namespace

LayerwiseRun::LayerwiseRun(const Graph& graph, const std::vector<NodeId>& order,
                           const Samples& samples, ThreadPool* pool)
    : graph_(graph), pool_(pool), values_(samples.size()) {
  last_reader_.resize(graph.num_values());
  for (NodeId id : order) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) last_reader_[in.index] = id;
    }
  }
  for (size_t s = 0; s < samples.size(); ++s) {
    values_[s].resize(graph.num_values());
    for (size_t i = 0; i < graph.inputs().size(); ++i) {
      values_[s][graph.inputs()[i].index] = samples[s][i];
    }
  }
}

Status LayerwiseRun::RunNode(NodeId id) {
  const Node& node = graph_.node(id);
  if (IsControlFlow(node.op)) {
    return Unsupported(Describe(node) + ": control flow");
  }
  for (auto& values : values_) {
    STINT_RETURN_IF_ERROR(RunSample(node, &values).Annotate(Describe(node)));
  }
  return OkStatus();
}

Status LayerwiseRun::RunSample(const Node& node,
                               std::vector<Value>* values) const {
  std::vector<Value> constants(node.inputs.size());
  std::vector<ValueType> types(node.inputs.size());
  std::vector<const Value*> inputs(node.inputs.size(), nullptr);
  std::vector<InferContext::Input> known(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId in = node.inputs[i];
    if (!in.valid()) continue;
    const auto& constant = graph_.value(in).constant;
    if (constant) constants[i] = Value(*constant);
    inputs[i] = constant ? &constants[i] : &(*values)[in.index];
    if (!inputs[i]->is_tensor()) return Unsupported("not a tensor");
    const Tensor& tensor = inputs[i]->tensor();
    types[i] = ValueType::Of(tensor.dtype(), tensor.shape());
    // Numbers of shapes are known; what flows through layers is not constant.
    const bool is_known = constant || !IsFloat(tensor.dtype());
    known[i] = {&types[i], is_known ? &tensor : nullptr};
  }
  InferContext ctx(known, static_cast<int>(node.outputs.size()));
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx));
  const KernelSite site{DetectIsa(), pool_->threads()};
  STINT_ASSIGN_OR_RETURN(auto outputs,
                         EvaluateNow(node.op, ctx, inputs, site, pool_));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) {
      (*values)[node.outputs[i].index] = std::move(outputs[i]);
    }
  }
  return OkStatus();
}

void LayerwiseRun::TakeOutputs(NodeId id, const LayerwiseRun& other) {
  for (ValueId out : graph_.node(id).outputs) {
    if (!out.valid()) continue;
    for (size_t s = 0; s < values_.size(); ++s) {
      values_[s][out.index] = other.values_[s][out.index];
    }
  }
}

std::vector<Tensor*> LayerwiseRun::Find(ValueId value) {
  std::vector<Tensor*> found;
  for (auto& values : values_) {
    Value& held = values[value.index];
    if (!held.is_tensor() || held.tensor().dtype() != DType::kFloat32 ||
        held.tensor().size() == 0) {
      return {};
    }
    found.push_back(&held.tensor());
  }
  return found;
}

void LayerwiseRun::Release(NodeId id) {
  for (ValueId in : graph_.node(id).inputs) {
    if (!in.valid() || last_reader_[in.index] != id) continue;
    for (auto& values : values_) values[in.index] = Value();
  }
}

Result<Samples> CollectSamples(const Package& package,
                               const EvalOptions& options) {
  ThreadPool pool(AvailableCpus());
  GraphRunner runner(package.graph.get(), {DetectIsa(), pool.threads()}, &pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  Samples rows;
  const auto run = [&](const std::vector<Value>& inputs,
                       std::vector<Value>* outputs) {
    rows.push_back(inputs);
    const ThreadPool::Run awake(&pool);
    return runner.RunInto(inputs, outputs);
  };
  STINT_RETURN_IF_ERROR(EvaluateData({&package, run}, options).status());
  return IsBatchFree(*package.graph) ? JoinRows(rows) : std::move(rows);
}

Status RunLayerwise(const Graph& graph, const Samples& samples,
                    ThreadPool* pool, const LayerVisitor& visitor) {
  const ThreadPool::Run awake(pool);
  LayerwiseRun run(graph, graph.order(), samples, pool);
  for (NodeId id : graph.order()) {
    STINT_RETURN_IF_ERROR(run.RunNode(id));
    const ValueId out = graph.node(id).outputs[0];
    if (out.valid()) {
      const std::vector<Tensor*> outputs = run.Find(out);
      if (!outputs.empty()) STINT_RETURN_IF_ERROR(visitor(id, outputs));
    }
    run.Release(id);
  }
  return OkStatus();
}

}  // namespace stint

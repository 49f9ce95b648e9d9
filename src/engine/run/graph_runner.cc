#include "engine/run/graph_runner.h"

#include <algorithm>
#include <cstring>

#include "core/platform/clock.h"
#include "engine/nodes/evaluate_now.h"
#include "engine/run/control_flow.h"
#include "engine/run/program_builder.h"

namespace stint {
namespace {

// What a kernel's choice depends on besides constants.
std::vector<std::pair<DType, int64_t>> InputKinds(const InferContext& ctx) {
  std::vector<std::pair<DType, int64_t>> kinds;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    kinds.emplace_back(ctx.has(i) ? ctx.in(i).dtype : DType::kString,
                       ctx.Ranked({i}) ? ctx.in(i).rank() : -1);
  }
  kinds.emplace_back(DType::kBool, ctx.OutputsAreEmpty() ? 1 : 0);
  return kinds;
}

// Copies tensors that lie in the arena: a sequence may outlive the place of
// what was put into it.
Status Detach(Value* value) {
  if (value->is_tensor()) {
    if (value->tensor().raw() == nullptr || value->tensor().is_kept_alive()) {
      return OkStatus();
    }
    STINT_ASSIGN_OR_RETURN(*value, value->tensor().Clone());
    return OkStatus();
  }
  for (Value& element : value->elements()) {
    STINT_RETURN_IF_ERROR(Detach(&element));
  }
  return OkStatus();
}

bool HasType(const ValueType& type, const Value& value) {
  if (!value.is_tensor() || !type.is_tensor()) return TypeOf(value) == type;
  return type.dtype == value.tensor().dtype() && type.ranked &&
         type.dims == value.tensor().shape();
}

bool IsFor(const Program& program, std::span<const Value> inputs) {
  return std::equal(program.signature.begin(), program.signature.end(),
                    inputs.begin(), inputs.end(), HasType);
}

// Arena memory is reused by the next run, so the caller gets a copy: into the
// tensor that is there when it fits.
Status CopyOut(const Value& from, Value* to) {
  if (!from.is_tensor()) {
    *to = from;
    return OkStatus();
  }
  const Tensor& tensor = from.tensor();
  const bool fits = to->is_tensor() && to->tensor().raw() != nullptr &&
                    tensor.dtype() != DType::kString &&
                    to->tensor().dtype() == tensor.dtype() &&
                    to->tensor().shape() == tensor.shape();
  if (fits) {
    std::memcpy(to->tensor().raw(), tensor.raw(), tensor.bytes());
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(*to, tensor.Clone());
  return OkStatus();
}

}  // namespace

Status CheckLimits(const RunLimits& limits) {
  if (limits.cancel != nullptr &&
      limits.cancel->load(std::memory_order_relaxed)) {
    return Cancelled("the run was cancelled");
  }
  if (limits.deadline_ns != 0 && NowNs() > limits.deadline_ns) {
    return Cancelled("the run missed its deadline");
  }
  return OkStatus();
}

GraphRunner::GraphRunner(const Graph* graph, KernelSite site, ThreadPool* pool)
    : graph_(graph),
      site_(site),
      pool_(pool),
      known_(graph->num_values()),
      folded_(graph->num_nodes(), false),
      released_(graph->num_nodes(), false),
      kernels_(graph->num_nodes()) {
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    subgraphs_.push_back(std::make_unique<GraphRunner>(
        &graph->subgraph({static_cast<int32_t>(i)}), site, pool));
  }
}

GraphRunner::~GraphRunner() = default;

Status GraphRunner::Prepare() {
  for (auto& subgraph : subgraphs_) STINT_RETURN_IF_ERROR(subgraph->Prepare());
  for (size_t i = 0; i < known_.size(); ++i) {
    const GraphValue& value = graph_->value({static_cast<int32_t>(i)});
    if (value.constant) {
      known_[i] = std::make_shared<Value>(*value.constant);
    }
  }
  STINT_RETURN_IF_ERROR(ProgramBuilder(this).FoldKnown());
  CountReaders();
  return OkStatus();
}

Result<NodeKernel*> GraphRunner::KernelFor(NodeId id,
                                           const InferContext& inferred) {
  std::vector<std::pair<DType, int64_t>> kinds = InputKinds(inferred);
  for (const BoundKernel& bound : kernels_[id.index]) {
    if (bound.kinds == kinds) return bound.kernel.get();
  }
  std::unique_ptr<NodeKernel> kernel;
  const Node& node = graph_->node(id);
  if (IsControlFlow(node.op)) {
    std::vector<GraphRunner*> bodies;
    for (auto& subgraph : subgraphs_) bodies.push_back(subgraph.get());
    kernel = MakeControlKernel(node.op, bodies);
  } else {
    // A kernel outlives shapes and runs, so of the contents it sees only those
    // that depend on neither.
    std::vector<InferContext::Input> inputs(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      const auto& known = known_[node.inputs[i].index];
      inputs[i] = {
          &inferred.in(static_cast<int>(i)),
          known != nullptr && known->is_tensor() ? &known->tensor() : nullptr};
    }
    InferContext ctx(std::move(inputs), inferred.num_outputs());
    for (int i = 0; i < inferred.num_outputs(); ++i) {
      ctx.SetOutput(i, inferred.outputs()[i]);
    }
    KernelSite site = site_;
    site.pool = pool_;
    site.packed = PackedFor(id);
    site.coded = CodedFor(id);
    STINT_ASSIGN_OR_RETURN(kernel, MakeKernel(node.op, ctx, site));
    const bool needs_none =
        kernel->packed() != nullptr || ctx.OutputsAreEmpty();
    if (!needs_none && (site.coded.weights || site.coded.rows)) {
      return Unsupported("no kernel reads its weights as codes");
    }
    if (!needs_none && site.packed != nullptr) {
      return Unsupported("its weights are packed as '" + site.packed->layout +
                         "', which no kernel here reads");
    }
  }
  kernels_[id.index].push_back({std::move(kinds), std::move(kernel)});
  return kernels_[id.index].back().kernel.get();
}

// What a kernel of the node has packed, or what came with the model.
const PackedWeights* GraphRunner::PackedFor(NodeId id) const {
  for (const BoundKernel& bound : kernels_[id.index]) {
    if (bound.kernel->packed() != nullptr) return bound.kernel->packed();
  }
  if (packed_ == nullptr) return nullptr;
  const auto it = packed_->find(graph_->node(id).name);
  return it != packed_->end() ? &it->second : nullptr;
}

CodedNode GraphRunner::CodedFor(NodeId id) const {
  if (coded_ == nullptr) return {};
  const auto it = coded_->find(graph_->node(id).name);
  return it != coded_->end() ? it->second : CodedNode{};
}

PackedTable GraphRunner::packed() const {
  PackedTable table;
  for (NodeId id : graph_->order()) {
    const PackedWeights* packed = PackedFor(id);
    if (packed != nullptr) table.emplace(graph_->node(id).name, *packed);
  }
  return table;
}

void GraphRunner::CountReaders() {
  readers_.assign(known_.size(), 0);
  for (ValueId out : graph_->outputs()) ++readers_[out.index];
  for (NodeId id : graph_->order()) {
    if (folded_[id.index]) continue;
    for (ValueId in : graph_->node(id).inputs) {
      if (in.valid()) ++readers_[in.index];
    }
  }
}

void GraphRunner::ReleasePacked(NodeId id, const NodeKernel& kernel) {
  if (release_ == nullptr || released_[id.index] ||
      kernel.packed() == nullptr) {
    return;
  }
  released_[id.index] = true;
  for (ValueId in : graph_->node(id).inputs) {
    if (!in.valid() || --readers_[in.index] > 0) continue;
    const auto& known = known_[in.index];
    if (known == nullptr || !known->is_tensor()) continue;
    Tensor& tensor = known->tensor();
    if (tensor.rank() < 2 || !tensor.has_elements()) continue;
    tensor.DropElements();
    release_(in);
  }
}

Result<Program*> GraphRunner::ProgramFor(std::span<const Value> inputs) {
  if (inputs.size() != graph_->inputs().size()) {
    return InvalidArgument("the graph takes " + std::to_string(num_inputs()) +
                           " inputs, got " + std::to_string(inputs.size()));
  }
  const auto it = std::find_if(
      programs_.begin(), programs_.end(),
      [&](const auto& program) { return IsFor(*program, inputs); });
  if (it != programs_.end()) {
    programs_.splice(programs_.begin(), programs_, it);
    return programs_.front().get();
  }
  // Before the new one has memory of its own.
  while (programs_.size() >= max_programs_) programs_.pop_back();
  STINT_ASSIGN_OR_RETURN(
      auto program, ProgramBuilder(this).Build({inputs.begin(), inputs.end()}));
  programs_.push_front(std::move(program));
  return programs_.front().get();
}

Result<GraphRunner::Cost> GraphRunner::CostFor(std::span<const Value> inputs) {
  STINT_ASSIGN_OR_RETURN(Program * program, ProgramFor(inputs));
  Cost cost;
  cost.activation_bytes = program->activation_bytes;
  for (const auto& step : program->steps) {
    ++cost.steps;
    if (step->dynamic) {
      ++cost.unsettled_steps;
      continue;
    }
    std::vector<ValueType> types(step->ctx.num_inputs());
    std::vector<InferContext::Input> types_in(types.size());
    for (int i = 0; i < step->ctx.num_inputs(); ++i) {
      if (!step->ctx.has(i)) continue;
      types[i] = TypeOf(step->ctx.in_value(i));
      types_in[i].type = &types[i];
    }
    InferContext ctx(std::move(types_in), step->ctx.num_outputs());
    for (int i = 0; i < step->ctx.num_outputs(); ++i) {
      ctx.SetOutput(i, TypeOf(step->ctx.out_value(i)));
    }
    cost.macs += CostOf(graph_->node(step->node).op, ctx).macs;
  }
  return cost;
}

bool GraphRunner::IsBound(std::span<const Value> inputs) const {
  return std::any_of(
      programs_.begin(), programs_.end(),
      [&](const auto& program) { return IsFor(*program, inputs); });
}

void GraphRunner::VisitSteps(
    FunctionRef<void(const Node& node, const Step& step)> visit) const {
  if (programs_.empty()) return;
  for (const auto& step : programs_.front()->steps) {
    visit(graph_->node(step->node), *step);
  }
}

Status GraphRunner::RunStep(Step* step) {
  if (null_kernels_) {
    pool_->ParallelParts([](int) {});
    return OkStatus();
  }
  return step->dynamic ? RunDynamic(*step) : step->kernel->Run(step->ctx);
}

Status GraphRunner::RunSteps(const RunLimits& limits, Program* program) {
  for (const auto& step : program->steps) {
    STINT_RETURN_IF_ERROR(CheckLimits(limits));
    int64_t start = 0;
    if (observer_ != nullptr) {
      STINT_RETURN_IF_ERROR(observer_->BeforeStep(graph_->node(step->node)));
      start = NowNs();
    }
    const Status status = RunStep(step.get());
    if (!status.ok()) {
      return status.Annotate(Describe(graph_->node(step->node)));
    }
    if (observer_ != nullptr) {
      observer_->OnStep(graph_->node(step->node), start, NowNs());
      observer_->OnOutputs(graph_->node(step->node), step->ctx);
    }
  }
  return OkStatus();
}

Result<std::vector<Value>> GraphRunner::Run(const std::vector<Value>& inputs,
                                            const RunLimits& limits) {
  std::vector<Value> outputs;
  STINT_RETURN_IF_ERROR(RunInto(inputs, &outputs, limits));
  return outputs;
}

Status GraphRunner::RunInto(std::span<const Value> inputs,
                            std::vector<Value>* outputs,
                            const RunLimits& limits) {
  STINT_RETURN_IF_ERROR(CheckLimits(limits));
  for (auto& subgraph : subgraphs_) subgraph->outer_limits_ = limits;
  STINT_ASSIGN_OR_RETURN(Program * program, ProgramFor(inputs));
  std::copy(inputs.begin(), inputs.end(), program->inputs.begin());
  STINT_RETURN_IF_ERROR(RunSteps(limits, program));
  outputs->resize(program->outputs.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    STINT_RETURN_IF_ERROR(CopyOut(*program->outputs[i], &(*outputs)[i]));
  }
  // Nothing of this run's inputs and dynamic values is kept.
  for (Value& input : program->inputs) {
    if (input.is_tensor()) {
      input.tensor().DropElements();
    } else {
      input = Value();
    }
  }
  for (const auto& step : program->steps) {
    if (!step->dynamic) continue;
    for (int i = 0; i < step->ctx.num_outputs(); ++i) {
      step->ctx.SetOutput(i, Value());
    }
  }
  return OkStatus();
}

// Settles what was not known when the program was bound: types, shapes, memory.
Status GraphRunner::RunDynamic(Step& step) {
  const Node& node = graph_->node(step.node);
  std::vector<ValueType> types(node.inputs.size());
  std::vector<InferContext::Input> inputs(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid()) continue;
    const Value& value = step.ctx.in_value(static_cast<int>(i));
    types[i] = TypeOf(value);
    inputs[i] = {&types[i], value.is_tensor() ? &value.tensor() : nullptr};
  }
  InferContext ctx(std::move(inputs), static_cast<int>(node.outputs.size()));
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueType& type = ctx.outputs()[i];
    const int k = static_cast<int>(i);
    step.ctx.SetOutput(k, Value());
    if (!type.IsConcrete()) continue;
    STINT_RETURN_IF_ERROR(step.ctx.Allocate(k, type.dtype, type.dims));
  }
  STINT_ASSIGN_OR_RETURN(step.kernel, KernelFor(step.node, ctx));
  STINT_RETURN_IF_ERROR(RunOnce(step.kernel, &step.ctx));
  for (int i = 0; i < step.ctx.num_outputs(); ++i) {
    STINT_RETURN_IF_ERROR(Detach(&step.ctx.out_value(i)));
  }
  return OkStatus();
}

}  // namespace stint

#include "engine/run/program_builder.h"

#include <algorithm>

#include "core/platform/memory/memory.h"
#include "engine/nodes/evaluate_now.h"

namespace stint {
namespace {

bool IsFullyKnown(const InferContext& ctx) {
  return std::all_of(ctx.outputs().begin(), ctx.outputs().end(),
                     [](const ValueType& type) { return type.IsConcrete(); });
}

// Weights that are packed or on storage have none.
bool HasContents(const Tensor* contents) {
  return contents != nullptr && contents->has_elements();
}

// The part of a program, the last used first, that is large enough; or new
// memory.
Result<Tensor> TakeMemory(const std::list<std::unique_ptr<Program>>& programs,
                          Tensor Program::*part, int64_t bytes) {
  for (const auto& program : programs) {
    const Tensor& memory = (*program).*part;
    if (static_cast<int64_t>(memory.bytes()) >= bytes) return memory;
  }
  return Tensor::Allocate(DType::kUInt8, {bytes});
}

}  // namespace

bool IsView(const Op& op) {
  return As<Reshape>(op) || As<Flatten>(op) || As<Squeeze>(op) ||
         As<Unsqueeze>(op) ||
         (As<Unary>(op) && As<Unary>(op)->kind == UnaryKind::kIdentity);
}

ProgramBuilder::ProgramBuilder(GraphRunner* runner)
    : runner_(runner),
      graph_(*runner->graph_),
      program_(std::make_unique<Program>()),
      bindings_(graph_.num_values()) {}

Result<std::unique_ptr<Program>> ProgramBuilder::Build(
    const std::vector<Value>& inputs) {
  program_->inputs = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Binding& binding = bindings_[graph_.inputs()[i].index];
    binding.value = &program_->inputs[i];
    binding.type = TypeOf(inputs[i]);
    program_->signature.push_back(binding.type);
  }
  BindKnown();
  for (NodeId id : graph_.order()) {
    const Status status = BindNode(id);
    if (!status.ok()) return status.Annotate(Describe(graph_.node(id)));
  }
  for (ValueId id : graph_.outputs()) {
    const Binding& binding = bindings_[id.index];
    if (binding.buffer >= 0) {
      lives_[binding.buffer].last_step =
          static_cast<int>(program_->steps.size());
    }
    program_->outputs.push_back(binding.value);
  }
  STINT_RETURN_IF_ERROR(PlaceBuffers());
  return std::move(program_);
}

void ProgramBuilder::BindKnown() {
  for (size_t i = 0; i < bindings_.size(); ++i) {
    const auto& known = runner_->known_[i];
    if (known == nullptr) continue;
    bindings_[i].value = known.get();
    bindings_[i].type = TypeOf(*known);
    if (known->is_tensor()) bindings_[i].contents = &known->tensor();
  }
}

Status ProgramBuilder::FoldKnown() {
  BindKnown();
  for (NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    const bool known =
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId in) {
          return !in.valid() || HasContents(bindings_[in.index].contents);
        });
    if (!known || IsControlFlow(node.op)) continue;
    std::vector<InferContext::Input> inputs;
    for (ValueId in : node.inputs) {
      inputs.push_back(in.valid()
                           ? InferContext::Input{&bindings_[in.index].type,
                                                 bindings_[in.index].contents}
                           : InferContext::Input{});
    }
    InferContext ctx(std::move(inputs), static_cast<int>(node.outputs.size()));
    Status status = InferTypes(node.op, ctx);
    const size_t held = program_->held.size();
    if (status.ok()) status = FoldNode(node, ctx).status();
    if (!status.ok()) return status.Annotate(Describe(node));
    size_t next = held;
    for (ValueId out : node.outputs) {
      if (out.valid()) runner_->known_[out.index] = program_->held[next++];
    }
    runner_->folded_[id.index] = true;
  }
  DropUnreadKnown();
  return OkStatus();
}

void ProgramBuilder::DropUnreadKnown() {
  std::vector<bool> read(graph_.num_values(), false);
  for (ValueId out : graph_.outputs()) read[out.index] = true;
  for (NodeId id : graph_.order()) {
    if (runner_->folded_[id.index]) continue;
    for (ValueId in : graph_.node(id).inputs) {
      if (in.valid()) read[in.index] = true;
    }
  }
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i]) runner_->known_[i] = nullptr;
  }
}

Status ProgramBuilder::BindNode(NodeId id) {
  const Node& node = graph_.node(id);
  if (runner_->folded_[id.index]) return OkStatus();
  std::vector<InferContext::Input> inputs;
  bool typed = true;
  for (ValueId in : node.inputs) {
    if (!in.valid()) {
      inputs.push_back({});
      continue;
    }
    const Binding& binding = bindings_[in.index];
    typed = typed && binding.type.typed;
    inputs.push_back({&binding.type, binding.contents});
  }
  InferContext ctx(std::move(inputs), static_cast<int>(node.outputs.size()));
  if (!typed || IsControlFlow(node.op)) return AddStep(id, ctx, true);
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx));
  STINT_ASSIGN_OR_RETURN(const bool folded, FoldNode(node, ctx));
  if (folded) return OkStatus();
  if (!IsFullyKnown(ctx)) return AddStep(id, ctx, true);
  if (AliasNode(node, ctx)) return OkStatus();
  STINT_RETURN_IF_ERROR(AddStep(id, ctx, false));
  idle_.resize(program_->steps.size(), false);
  idle_.back() = JoinInputs(node, ctx);
  return OkStatus();
}

Result<bool> ProgramBuilder::FoldNode(const Node& node,
                                      const InferContext& types) {
  const bool known =
      DependsOnTypesOnly(node.op)
          ? types.Ranked({0}) && types.in(0).IsConcrete()
          : std::all_of(node.inputs.begin(), node.inputs.end(),
                        [&](ValueId in) {
                          return !in.valid() ||
                                 HasContents(bindings_[in.index].contents);
                        });
  if (!known) return false;
  // Ops that look at types only may read a tensor without contents.
  std::vector<Value> shells(node.inputs.size());
  std::vector<const Value*> inputs(node.inputs.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid()) continue;
    const Binding& binding = bindings_[node.inputs[i].index];
    if (binding.contents == nullptr) {
      shells[i] =
          Tensor::Borrow(binding.type.dtype, binding.type.dims, nullptr);
    }
    inputs[i] = binding.contents != nullptr ? binding.value : &shells[i];
  }
  STINT_ASSIGN_OR_RETURN(
      std::vector<Value> results,
      EvaluateNow(node.op, types, inputs, runner_->site_, runner_->pool_));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    auto value = std::make_shared<Value>(std::move(results[i]));
    Binding& binding = bindings_[node.outputs[i].index];
    binding.value = value.get();
    binding.type = TypeOf(*value);
    if (value->is_tensor()) binding.contents = &value->tensor();
    program_->held.push_back(std::move(value));
  }
  return true;
}

// Gives a view the memory of what it looks at, when that has a fixed place.
bool ProgramBuilder::AliasNode(const Node& node, const InferContext& ctx) {
  if (!IsView(node.op) || !node.inputs[0].valid() || !node.outputs[0].valid()) {
    return false;
  }
  const Binding& source = bindings_[node.inputs[0].index];
  if (source.buffer < 0) return false;
  auto view = std::make_shared<Value>(
      Tensor::Borrow(ctx.outputs()[0].dtype, ctx.outputs()[0].dims, nullptr));
  placements_.push_back({view.get(), source.buffer});
  Binding& binding = bindings_[node.outputs[0].index];
  binding.value = view.get();
  binding.type = ctx.outputs()[0];
  binding.buffer = source.buffer;
  program_->held.push_back(std::move(view));
  return true;
}

void ProgramBuilder::TouchInputs(const Node& node) {
  const int step = static_cast<int>(program_->steps.size());
  for (ValueId in : node.inputs) {
    if (in.valid() && bindings_[in.index].buffer >= 0) {
      lives_[bindings_[in.index].buffer].last_step = step;
    }
  }
}

Status ProgramBuilder::AddStep(NodeId id, const InferContext& types,
                               bool dynamic) {
  const Node& node = graph_.node(id);
  TouchInputs(node);
  const int index = static_cast<int>(program_->steps.size());
  auto step = std::make_unique<Step>(
      Step{id, nullptr,
           EvalContext(node.inputs.size(), node.outputs.size(), runner_->pool_),
           dynamic});
  if (!dynamic) {
    STINT_ASSIGN_OR_RETURN(step->kernel, runner_->KernelFor(id, types));
    runner_->ReleasePacked(id, *step->kernel);
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].valid()) {
      step->ctx.SetInput(static_cast<int>(i),
                         bindings_[node.inputs[i].index].value);
    }
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const int k = static_cast<int>(i);
    step->ctx.SetWanted(k, node.outputs[i].valid());
    Binding binding;
    binding.value = &step->ctx.out_value(k);
    if (!dynamic) {
      const ValueType& type = types.outputs()[i];
      binding.type = type;
      Tensor shell = Tensor::Borrow(type.dtype, type.dims, nullptr);
      if (type.dtype == DType::kString) {
        STINT_ASSIGN_OR_RETURN(shell, Tensor::Allocate(type.dtype, type.dims));
      } else {
        const int64_t bytes = static_cast<int64_t>(shell.bytes());
        if (bytes > PhysicalMemoryBytes()) {
          return ResourceExhausted("output " + std::to_string(i) + " " +
                                   ToString(type, graph_.symbols()) +
                                   " is larger than this machine's memory");
        }
        binding.buffer = static_cast<int>(lives_.size());
        lives_.push_back({bytes, index, index});
        placements_.push_back({&step->ctx.out_value(k), binding.buffer});
      }
      step->ctx.SetOutput(k, std::move(shell));
    }
    if (node.outputs[i].valid()) bindings_[node.outputs[i].index] = binding;
  }
  program_->steps.push_back(std::move(step));
  return OkStatus();
}

// Before it is taken.
Status ProgramBuilder::CheckActivations(int64_t bytes) const {
  const int64_t most = runner_->most_activation_bytes_;
  if (bytes <= most) return OkStatus();
  return BudgetInfeasible("inputs of this shape take " + std::to_string(bytes) +
                          " bytes of activations, the memory budget has room "
                          "for " +
                          std::to_string(std::max<int64_t>(0, most)));
}

Status ProgramBuilder::PlaceBuffers() {
  const MemoryPlan plan = PlanMemory(lives_);
  STINT_RETURN_IF_ERROR(CheckActivations(plan.arena_bytes));
  STINT_ASSIGN_OR_RETURN(
      program_->arena,
      TakeMemory(runner_->programs_, &Program::arena, plan.arena_bytes));
  uint8_t* base = program_->arena.data<uint8_t>();
  for (const Placement& placement : placements_) {
    const Tensor& shell = placement.value->tensor();
    *placement.value = Tensor::Borrow(shell.dtype(), shell.shape(),
                                      base + plan.offsets[placement.buffer]);
  }
  SetIdleStepsAside();
  size_t scratch = 0;
  for (const auto& step : program_->steps) {
    if (step->dynamic) continue;
    auto state = step->kernel->Prepare(step->ctx);
    if (!state.ok()) {
      return state.status().Annotate(Describe(graph_.node(step->node)));
    }
    step->ctx.SetState(std::move(state).value());
    runner_->ReleasePacked(step->node, *step->kernel);
    scratch = std::max(scratch, step->kernel->ScratchBytes(step->ctx));
  }
  program_->activation_bytes = plan.arena_bytes + static_cast<int64_t>(scratch);
  STINT_RETURN_IF_ERROR(CheckActivations(program_->activation_bytes));
  STINT_ASSIGN_OR_RETURN(program_->scratch,
                         TakeMemory(runner_->programs_, &Program::scratch,
                                    static_cast<int64_t>(scratch)));
  for (const auto& step : program_->steps) {
    if (!step->dynamic) step->ctx.SetScratch(program_->scratch.raw());
  }
  return OkStatus();
}

}  // namespace stint

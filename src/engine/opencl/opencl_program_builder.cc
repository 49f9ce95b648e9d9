#include "engine/opencl/opencl_program_builder.h"

#include <algorithm>

#include "engine/nodes/evaluate_now.h"
#include "engine/opencl/strided.h"

namespace stint {
namespace {

// Enough to see what kind of network it is.
constexpr size_t kNamedNodes = 6;

bool IsConcrete(const InferContext& ctx) {
  return std::all_of(ctx.outputs().begin(), ctx.outputs().end(),
                     [](const ValueType& type) { return type.IsConcrete(); });
}

}  // namespace

OpenClProgramBuilder::OpenClProgramBuilder(OpenClRunner* runner)
    : runner_(runner),
      graph_(*runner->graph_),
      values_(graph_.num_values()),
      missing_(graph_.num_values(), false),
      program_(std::make_unique<OpenClProgram>()) {}

Result<std::unique_ptr<OpenClProgram>> OpenClProgramBuilder::Build(
    std::span<const Value> inputs) {
  STINT_RETURN_IF_ERROR(BindInputs(inputs));
  BindKnown();
  CountReaders();
  for (NodeId id : graph_.order()) {
    const Status status = BindNode(id);
    if (!status.ok()) return status.Annotate(Describe(graph_.node(id)));
    ReleaseInputs(graph_.node(id));
  }
  STINT_RETURN_IF_ERROR(CheckAllLowered());
  for (ValueId id : graph_.outputs()) {
    if (value(id).buffer.index >= 0) draft_.Touch(value(id).buffer);
  }
  STINT_RETURN_IF_ERROR(BindSteps(*runner_->device_, draft_, program_.get()));
  STINT_RETURN_IF_ERROR(BindOutputs());
  return std::move(program_);
}

Status OpenClProgramBuilder::BindInputs(std::span<const Value> inputs) {
  if (inputs.size() != graph_.inputs().size()) {
    return InvalidArgument("the graph takes " +
                           std::to_string(graph_.inputs().size()) +
                           " inputs, got " + std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    OpenClValue& input = value(graph_.inputs()[i]);
    input.type = TypeOf(inputs[i]);
    program_->signature.push_back(input.type);
    if (!inputs[i].is_tensor() || input.type.dtype != DType::kFloat32) continue;
    STINT_RETURN_IF_ERROR(CountOf(input.type.dims).status());
    input.buffer =
        draft_.AddBuffer(static_cast<int64_t>(inputs[i].tensor().bytes()));
  }
  return OkStatus();
}

void OpenClProgramBuilder::BindKnown() {
  for (size_t i = 0; i < values_.size(); ++i) {
    const auto& constant = graph_.value({static_cast<int32_t>(i)}).constant;
    const auto& known = runner_->known_[i];
    if (known == nullptr && !constant) continue;
    const Tensor* tensor = known != nullptr ? &known->tensor() : &*constant;
    values_[i].type = ValueType::Of(*tensor);
    values_[i].contents = tensor;
    values_[i].lasting = true;
  }
}

Status OpenClProgramBuilder::BindNode(NodeId id) {
  const Node& node = graph_.node(id);
  std::vector<InferContext::Input> inputs;
  for (ValueId in : node.inputs) {
    inputs.push_back(
        in.valid() ? InferContext::Input{&value(in).type, value(in).contents}
                   : InferContext::Input{});
  }
  InferContext ctx(std::move(inputs), static_cast<int>(node.outputs.size()));
  if (IsControlFlow(node.op)) {
    return Unsupported("OpenCL does not run control flow");
  }
  STINT_RETURN_IF_ERROR(InferTypes(node.op, ctx));
  STINT_ASSIGN_OR_RETURN(const bool folded, FoldNode(node, ctx));
  if (folded) return OkStatus();
  if (!IsConcrete(ctx)) {
    return Unsupported(
        "its shape is known only while it runs, which OpenCL "
        "does not take");
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].valid()) {
      value(node.outputs[i]).type = ctx.outputs()[i];
    }
  }
  return LowerNode(id);
}

// An earlier program has evaluated it.
bool OpenClProgramBuilder::IsKnown(const Node& node) const {
  return std::all_of(
      node.outputs.begin(), node.outputs.end(), [&](ValueId out) {
        return !out.valid() ||
               runner_->known_[static_cast<size_t>(out.index)] != nullptr;
      });
}

void OpenClProgramBuilder::CountReaders() {
  readers_.assign(values_.size(), 0);
  for (ValueId out : graph_.outputs()) {
    ++readers_[static_cast<size_t>(out.index)];
  }
  for (NodeId id : graph_.order()) {
    for (ValueId in : graph_.node(id).inputs) {
      if (in.valid()) ++readers_[static_cast<size_t>(in.index)];
    }
  }
}

void OpenClProgramBuilder::ReleaseInputs(const Node& node) {
  if (runner_->release_ == nullptr) return;
  for (ValueId in : node.inputs) {
    if (!in.valid() || --readers_[static_cast<size_t>(in.index)] > 0) continue;
    const OpenClValue& input = value(in);
    if (!input.lasting || input.contents->rank() < 2 ||
        !input.contents->has_elements()) {
      continue;
    }
    const auto& known = runner_->known_[static_cast<size_t>(in.index)];
    if (known != nullptr) known->tensor().DropElements();
    if (known == nullptr) runner_->release_(in);
  }
}

Result<bool> OpenClProgramBuilder::FoldNode(const Node& node,
                                            const InferContext& types) {
  const bool by_types = DependsOnTypesOnly(node.op) && types.Ranked({0}) &&
                        types.in(0).IsConcrete();
  bool known = !IsRandom(node.op);
  bool lasting = !by_types;
  for (ValueId in : node.inputs) {
    if (!in.valid()) continue;
    known = known && value(in).contents != nullptr;
    lasting = lasting && value(in).lasting;
  }
  if (!known && !by_types) return false;
  if (known && lasting && IsKnown(node)) return true;
  std::vector<Value> shells(node.inputs.size());
  std::vector<const Value*> inputs(node.inputs.size(), nullptr);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid()) continue;
    const OpenClValue& input = value(node.inputs[i]);
    shells[i] =
        input.contents != nullptr
            ? *input.contents
            : Tensor::Borrow(input.type.dtype, input.type.dims, nullptr);
    inputs[i] = &shells[i];
  }
  STINT_ASSIGN_OR_RETURN(
      std::vector<Value> results,
      EvaluateNow(node.op, types, inputs, runner_->site_, runner_->pool_));
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    auto result = std::make_shared<Value>(std::move(results[i]));
    if (!result->is_tensor()) {
      return Unsupported("it makes a sequence, which OpenCL does not take");
    }
    value(node.outputs[i]) = {TypeOf(*result), &result->tensor(), lasting, {}};
    if (lasting) {
      runner_->known_[static_cast<size_t>(node.outputs[i].index)] = result;
    }
    held_.push_back(std::move(result));
  }
  return true;
}

Status OpenClProgramBuilder::LowerNode(NodeId id) {
  const Node& node = graph_.node(id);
  const LowerFunction lower = FindLowering(node.op);
  if (lower == nullptr) without_kernel_.push_back(Describe(node));
  bool missing = lower == nullptr;
  for (ValueId in : node.inputs) {
    missing =
        missing || (in.valid() && missing_[static_cast<size_t>(in.index)]);
  }
  for (ValueId out : node.outputs) {
    if (!out.valid()) continue;
    STINT_RETURN_IF_ERROR(CountOf(value(out).type.dims).status());
    missing_[static_cast<size_t>(out.index)] = missing;
    if (!missing && value(out).type.dtype != DType::kFloat32) {
      return Unsupported("its output is " +
                         std::string(DTypeName(value(out).type.dtype)) +
                         ", OpenCL computes in float32");
    }
  }
  if (missing) return OkStatus();
  NodeLowering lowering({&graph_, runner_->device_->tile(), &runner_->weights_,
                         &draft_, &values_},
                        id);
  return lower(&lowering);
}

Status OpenClProgramBuilder::CheckAllLowered() const {
  if (without_kernel_.empty()) return OkStatus();
  std::string names;
  for (size_t i = 0; i < std::min(without_kernel_.size(), kNamedNodes); ++i) {
    names += (i == 0 ? "" : ", ") + without_kernel_[i];
  }
  if (without_kernel_.size() > kNamedNodes) {
    names += " and " + std::to_string(without_kernel_.size() - kNamedNodes) +
             " more";
  }
  return Unsupported("OpenCL has no kernel for " + names);
}

Status OpenClProgramBuilder::BindOutputs() {
  for (ValueId id : graph_.inputs()) {
    const int buffer = value(id).buffer.index;
    program_->inputs.push_back(
        buffer < 0 ? nullptr : program_->buffers[static_cast<size_t>(buffer)]);
  }
  for (ValueId id : graph_.outputs()) {
    OpenClProgram::Output output;
    output.type = value(id).type;
    if (value(id).contents != nullptr) {
      output.known = *value(id).contents;
    } else if (value(id).buffer.index >= 0) {
      output.buffer =
          program_->buffers[static_cast<size_t>(value(id).buffer.index)];
    } else {
      return Unsupported("output '" + graph_.value(id).name + "' is " +
                         std::string(DTypeName(output.type.dtype)) +
                         ", OpenCL computes in float32");
    }
    program_->outputs.push_back(std::move(output));
  }
  return OkStatus();
}

}  // namespace stint

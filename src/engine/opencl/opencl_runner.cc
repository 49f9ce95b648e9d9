#include "engine/opencl/opencl_runner.h"

#include <algorithm>
#include <cstring>

#include "core/platform/clock.h"
#include "engine/opencl/opencl_program_builder.h"

namespace stint {
namespace {

// Each has memory of its own for activations on the device.
constexpr size_t kMostPrograms = 4;

}  // namespace

OpenClRunner::OpenClRunner(const Graph* graph,
                           std::shared_ptr<const OpenClDevice> device,
                           const KernelSite& site, ThreadPool* pool)
    : graph_(graph),
      device_(std::move(device)),
      site_(site),
      pool_(pool),
      weights_(device_.get()),
      known_(graph->num_values()) {}

Result<OpenClProgram*> OpenClRunner::ProgramFor(std::span<const Value> inputs) {
  std::vector<ValueType> types;
  for (const Value& input : inputs) types.push_back(TypeOf(input));
  const auto it = std::find_if(
      programs_.begin(), programs_.end(),
      [&](const auto& program) { return program->signature == types; });
  if (it != programs_.end()) {
    programs_.splice(programs_.begin(), programs_, it);
    return programs_.front().get();
  }
  while (programs_.size() >= kMostPrograms) programs_.pop_back();
  STINT_ASSIGN_OR_RETURN(auto program,
                         OpenClProgramBuilder(this).Build(inputs));
  programs_.push_front(std::move(program));
  return programs_.front().get();
}

Status OpenClRunner::SendInputs(const OpenClProgram& program,
                                std::span<const Value> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (program.inputs[i] == nullptr) continue;
    const Tensor& tensor = inputs[i].tensor();
    if (tensor.size() == 0) continue;
    STINT_RETURN_IF_ERROR(
        OpenClStatus(device_->api().clEnqueueWriteBuffer(
                         device_->queue(), program.inputs[i].get(), CL_FALSE, 0,
                         tensor.bytes(), tensor.raw(), 0, nullptr, nullptr),
                     "clEnqueueWriteBuffer"));
  }
  return OkStatus();
}

Status OpenClRunner::Enqueue(const BoundOpenClStep& step) {
  return OpenClStatus(
      device_->api().clEnqueueNDRangeKernel(
          device_->queue(), step.kernel.get(), 3, nullptr, step.items.data(),
          step.group.data(), 0, nullptr, nullptr),
      "clEnqueueNDRangeKernel");
}

Status OpenClRunner::RunSteps(const OpenClProgram& program,
                              const RunLimits& limits) {
  const bool waits = observer_ != nullptr || limits.cancel != nullptr ||
                     limits.deadline_ns != 0;
  for (const BoundOpenClStep& step : program.steps) {
    STINT_RETURN_IF_ERROR(CheckLimits(limits));
    const Node& node = graph_->node(step.node);
    if (observer_ != nullptr) {
      STINT_RETURN_IF_ERROR(observer_->BeforeStep(node));
    }
    const int64_t start = waits ? NowNs() : 0;
    Status status = Enqueue(step);
    if (status.ok() && waits) status = device_->Finish();
    if (!status.ok()) return status.Annotate(Describe(node));
    if (observer_ != nullptr) observer_->OnStep(node, start, NowNs());
  }
  return OkStatus();
}

Status OpenClRunner::FetchOutputs(const OpenClProgram& program,
                                  std::vector<Value>* outputs) {
  outputs->resize(program.outputs.size());
  for (size_t i = 0; i < outputs->size(); ++i) {
    const OpenClProgram::Output& output = program.outputs[i];
    Value& to = (*outputs)[i];
    if (output.buffer == nullptr) {
      STINT_ASSIGN_OR_RETURN(to, output.known.tensor().Clone());
      continue;
    }
    if (!to.is_tensor() || to.tensor().raw() == nullptr ||
        ValueType::Of(to.tensor()) != output.type) {
      STINT_ASSIGN_OR_RETURN(
          to, Tensor::Allocate(output.type.dtype, output.type.dims));
    }
    if (to.tensor().size() == 0) continue;
    STINT_RETURN_IF_ERROR(OpenClStatus(
        device_->api().clEnqueueReadBuffer(
            device_->queue(), output.buffer.get(), CL_TRUE, 0,
            to.tensor().bytes(), to.tensor().raw(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer"));
  }
  return OkStatus();
}

Status OpenClRunner::RunInto(std::span<const Value> inputs,
                             std::vector<Value>* outputs,
                             const RunLimits& limits) {
  STINT_RETURN_IF_ERROR(CheckLimits(limits));
  STINT_ASSIGN_OR_RETURN(const OpenClProgram* program, ProgramFor(inputs));
  Status status = SendInputs(*program, inputs);
  if (status.ok()) status = RunSteps(*program, limits);
  if (status.ok()) status = FetchOutputs(*program, outputs);
  // Whatever happened, nothing of the caller's is in use any more.
  const Status finished = device_->Finish();
  return status.ok() ? finished : status;
}

}  // namespace stint

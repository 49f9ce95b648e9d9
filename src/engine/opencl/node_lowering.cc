#include "engine/opencl/node_lowering.h"

#include <algorithm>

namespace stint {

BufferNumber OpenClDraft::AddBuffer(int64_t bytes) {
  const int step = static_cast<int>(steps.size());
  buffers.push_back({static_cast<int>(lives.size()), nullptr});
  lives.push_back({bytes, step, step});
  return {static_cast<int>(buffers.size()) - 1};
}

BufferNumber OpenClDraft::AddFixed(OpenClBuffer buffer) {
  buffers.push_back({-1, std::move(buffer)});
  return {static_cast<int>(buffers.size()) - 1};
}

void OpenClDraft::Touch(BufferNumber buffer) {
  const int life = buffers[static_cast<size_t>(buffer.index)].life;
  if (life >= 0) {
    lives[static_cast<size_t>(life)].last_step = static_cast<int>(steps.size());
  }
}

NodeLowering::NodeLowering(const LoweringSite& site, NodeId id)
    : id_(id),
      node_(site.graph->node(id)),
      tile_(site.tile),
      weights_(site.weights),
      draft_(site.draft),
      values_(site.values) {
  for (ValueId out : node_.outputs) {
    outputs_.push_back(
        out.valid() ? (*values_)[static_cast<size_t>(out.index)].type.dims
                    : Shape());
  }
}

bool NodeLowering::has(int i) const {
  return i < num_inputs() && node_.inputs[i].valid();
}

bool NodeLowering::wants(int i) const {
  return static_cast<size_t>(i) < node_.outputs.size() &&
         node_.outputs[i].valid();
}

const Tensor* NodeLowering::constant(int i) const {
  return has(i) ? value(i).contents : nullptr;
}

Result<std::vector<int64_t>> NodeLowering::Ints(int i) const {
  if (!has(i)) return std::vector<int64_t>();
  if (constant(i) == nullptr) {
    return Unsupported("input " + std::to_string(i) +
                       " is not known before the run");
  }
  return IntsOf(*constant(i));
}

Result<float> NodeLowering::Number(int i, float otherwise) const {
  if (!has(i)) return otherwise;
  const Tensor* tensor = constant(i);
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 ||
      tensor->size() != 1) {
    return Unsupported("input " + std::to_string(i) +
                       " is no float32 number known before the run");
  }
  return *tensor->data<float>();
}

Result<BufferNumber> NodeLowering::Input(int i) {
  OpenClValue& input = (*values_)[static_cast<size_t>(node_.inputs[i].index)];
  if (input.type.dtype != DType::kFloat32) {
    return Unsupported("input " + std::to_string(i) + " is " +
                       std::string(DTypeName(input.type.dtype)) +
                       ", OpenCL computes in float32");
  }
  if (input.buffer.index < 0) {
    const Tensor* tensor = input.contents;
    const std::string key = "value " + std::to_string(node_.inputs[i].index);
    STINT_ASSIGN_OR_RETURN(OpenClBuffer buffer,
                           weights_->Get(input.lasting ? key : "",
                                         tensor->size(), [tensor](float* to) {
                                           std::copy_n(tensor->data<float>(),
                                                       tensor->size(), to);
                                         }));
    input.buffer = draft_->AddFixed(std::move(buffer));
  }
  draft_->Touch(input.buffer);
  return input.buffer;
}

BufferNumber NodeLowering::Output(int i) {
  OpenClValue& output = (*values_)[static_cast<size_t>(node_.outputs[i].index)];
  if (output.buffer.index < 0) {
    int64_t bytes = sizeof(float);
    for (int64_t dim : outputs_[i]) bytes *= dim;
    output.buffer = draft_->AddBuffer(bytes);
  }
  draft_->Touch(output.buffer);
  return output.buffer;
}

BufferNumber NodeLowering::Temporary(int64_t elements) {
  return draft_->AddBuffer(elements * static_cast<int64_t>(sizeof(float)));
}

Result<BufferNumber> NodeLowering::Weights(const std::string& what,
                                           int64_t count,
                                           FunctionRef<void(float*)> fill) {
  bool lasting = true;
  for (int i = 0; i < num_inputs(); ++i) {
    if (constant(i) != nullptr) lasting = lasting && value(i).lasting;
  }
  const std::string key = "node " + std::to_string(id_.index) + " " + what;
  STINT_ASSIGN_OR_RETURN(OpenClBuffer buffer,
                         weights_->Get(lasting ? key : "", count, fill));
  return draft_->AddFixed(std::move(buffer));
}

void NodeLowering::Launch(OpenClLaunch launch) {
  for (int64_t items : launch.items) {
    if (items == 0) return;
  }
  for (const OpenClArgument& argument : launch.arguments) {
    if (const auto* buffer = std::get_if<BufferNumber>(&argument)) {
      draft_->Touch(*buffer);
    }
  }
  draft_->steps.push_back({id_, std::move(launch)});
}

Status NodeLowering::Alias(int i, int j) {
  STINT_ASSIGN_OR_RETURN(const BufferNumber buffer, Input(j));
  (*values_)[static_cast<size_t>(node_.outputs[i].index)].buffer = buffer;
  return OkStatus();
}

}  // namespace stint

#include "engine/lower/block_channels.h"

#include <algorithm>

#include "engine/choose/conv_choice.h"

namespace stint {
namespace {

// Input channels up to which a convolution reads the plain image: below half a
// block most of a blocked one would be zeros.
constexpr int64_t kMaxPlainChannels = 4;

// Rebuilds the order of nodes, replacing each by its blocked form where there
// is one.
class ChannelBlocker {
 public:
  ChannelBlocker(int64_t block, Isa isa, Graph* graph)
      : block_(block),
        isa_(isa),
        graph_(graph),
        images_(graph->num_values()),
        has_plain_(graph->num_values(), true) {}

  void Run() {
    const std::vector<NodeId> order = graph_->order();
    graph_->RemoveFromOrder();
    for (NodeId id : order) {
      if (!Replace(id)) Keep(id);
    }
    for (ValueId out : graph_->outputs()) NeedPlain(out);
  }

 private:
  // A value's blocked twin.
  struct Image {
    ValueId blocked;
    int64_t channels = 0;
  };

  const ValueType& TypeOf(ValueId value) const {
    return graph_->value(value).type;
  }
  bool IsImage(ValueId value) const {
    const ValueType& type = TypeOf(value);
    return type.typed && type.is_tensor() && type.ranked && type.rank() == 4 &&
           type.dtype == DType::kFloat32 && IsKnown(type.dims[1]);
  }
  bool IsBlocked(ValueId value) const {
    return value.valid() && images_[value.index].blocked.valid();
  }
  const Tensor* Constant(ValueId value) const {
    const auto& constant = graph_->value(value).constant;
    return constant ? &*constant : nullptr;
  }

  // Values made here have no twin and are always plain to their readers.
  ValueId Append(const std::string& name, Op op, std::vector<ValueId> inputs) {
    const ValueId value = graph_->Add(name, std::move(op), std::move(inputs));
    images_.resize(graph_->num_values());
    has_plain_.resize(graph_->num_values(), true);
    return value;
  }

  // The blocked form of an image, converted where there is none yet.
  ValueId Blocked(ValueId value) {
    if (!IsBlocked(value)) {
      const std::string name = graph_->value(value).name + ".blocked";
      const ValueId blocked = Append(name, ToBlocked{block_}, {value});
      images_[value.index] = {blocked, TypeOf(value).dims[1]};
    }
    return images_[value.index].blocked;
  }

  // Makes sure that somebody can read the plain form.
  void NeedPlain(ValueId value) {
    if (!value.valid() || has_plain_[value.index]) return;
    const Image& image = images_[value.index];
    graph_->AddNode(graph_->value(value).name + ".plain",
                    FromBlocked{image.channels}, {image.blocked}, {value});
    has_plain_[value.index] = true;
  }

  void Keep(NodeId id) {
    for (ValueId in : graph_->node(id).inputs) NeedPlain(in);
    graph_->AppendToOrder(id);
  }

  // `node`'s output is from now on made by `op` on blocks.
  bool Become(const Node& node, Op op, std::vector<ValueId> inputs,
              int64_t channels) {
    const ValueId out = node.outputs[0];
    const ValueId blocked = Append(node.name, std::move(op), std::move(inputs));
    images_[out.index] = {blocked, channels};
    has_plain_[out.index] = false;
    graph_->value(out).producer = NodeId{};
    return true;
  }

  bool Replace(NodeId id) {
    const Node node = graph_->node(id);
    if (node.outputs.empty() || !node.outputs[0].valid() ||
        node.inputs.empty() || !node.inputs[0].valid()) {
      return false;
    }
    for (size_t i = 1; i < node.outputs.size(); ++i) {
      if (node.outputs[i].valid()) return false;
    }
    if (As<FusedConv>(node.op)) return ReplaceConv(node);
    if (const auto* concat = As<Concat>(node.op)) {
      return concat->axis == 1 && ReplaceConcat(node);
    }
    if (const auto* binary = As<Binary>(node.op)) {
      return ReplaceBinary(*binary, node);
    }
    if (!IsBlocked(node.inputs[0])) return false;
    return ReplacePool(node) || ReplaceUnary(node);
  }

  // Shapes do not matter for whether there is a kernel, only for which.
  bool HasKernel(const FusedConv& op, const Tensor& w, bool plain) const {
    ConvF32Shape shape;
    shape.groups = op.group;
    shape.in_channels = w.dim(1) * op.group;
    shape.out_channels = w.dim(0);
    shape.kernel_h = w.dim(2);
    shape.kernel_w = w.dim(3);
    shape.in_h = shape.out_h = 2 * shape.kernel_h;
    shape.in_w = shape.out_w = 2 * shape.kernel_w;
    return HasBlockedKernel(
        shape, plain ? ImageLayout::kPlain : ImageLayout::kBlocked, isa_);
  }

  bool ReplaceConv(const Node& node) {
    const FusedConv& op = *As<FusedConv>(node.op);
    const Tensor* w = Constant(node.inputs[1]);
    if (w == nullptr || w->rank() != 4 || !IsImage(node.inputs[0])) {
      return false;
    }
    if (node.inputs.size() > 2 && node.inputs[2].valid() &&
        Constant(node.inputs[2]) == nullptr) {
      return false;
    }
    const bool plain =
        w->dim(1) * op.group <= kMaxPlainChannels && !IsBlocked(node.inputs[0]);
    if (!HasKernel(op, *w, plain)) return false;
    const bool has_residual = node.inputs.size() > 3 && node.inputs[3].valid();
    if (has_residual && !IsImage(node.inputs[3])) return false;
    BlockedConv conv;
    static_cast<FusedConv&>(conv) = op;
    conv.block = block_;
    std::vector<ValueId> inputs = node.inputs;
    if (!plain) inputs[0] = Blocked(inputs[0]);
    if (has_residual) inputs[3] = Blocked(inputs[3]);
    return Become(node, std::move(conv), std::move(inputs), w->dim(0));
  }

  bool ReplacePool(const Node& node) {
    const Image image = images_[node.inputs[0].index];
    if (const auto* max = As<MaxPool>(node.op)) {
      BlockedMaxPool pool;
      static_cast<MaxPool&>(pool) = *max;
      return Become(node, std::move(pool), {image.blocked}, image.channels);
    }
    if (const auto* average = As<AveragePool>(node.op)) {
      BlockedAveragePool pool;
      static_cast<AveragePool&>(pool) = *average;
      return Become(node, std::move(pool), {image.blocked}, image.channels);
    }
    if (As<GlobalAveragePool>(node.op) != nullptr) {
      return Become(node, BlockedGlobalAverage{}, {image.blocked},
                    image.channels);
    }
    return false;
  }

  // Functions of one element: what they make of the zeros past the last
  // channel is multiplied by zero weights later on.
  bool ReplaceUnary(const Node& node) {
    const Op& op = node.op;
    const bool elementwise = As<Unary>(op) || As<Swish>(op) ||
                             As<HardSigmoid>(op) || As<LeakyRelu>(op) ||
                             As<Elu>(op) || As<Gelu>(op) || As<Clip>(op);
    if (!elementwise || !IsImage(node.outputs[0])) return false;
    if (const auto* unary = As<Unary>(op)) {
      // These may make infinities of zeros.
      if (unary->kind == UnaryKind::kLog ||
          unary->kind == UnaryKind::kReciprocal) {
        return false;
      }
    }
    const Image image = images_[node.inputs[0].index];
    std::vector<ValueId> inputs = node.inputs;
    inputs[0] = image.blocked;
    return Become(node, op, std::move(inputs), image.channels);
  }

  // Sums and products of images, or of an image and one value per channel.
  bool ReplaceBinary(const Binary& op, const Node& node) {
    if (op.kind != BinaryKind::kAdd && op.kind != BinaryKind::kMul &&
        op.kind != BinaryKind::kSub) {
      return false;
    }
    const ValueId a = node.inputs[0];
    const ValueId b = node.inputs[1];
    if ((!IsBlocked(a) && !IsBlocked(b)) || !IsImage(a) || !IsImage(b) ||
        TypeOf(a).dims[1] != TypeOf(b).dims[1]) {
      return false;
    }
    const int64_t channels = TypeOf(a).dims[1];
    return Become(node, op, {Blocked(a), Blocked(b)}, channels);
  }

  bool ReplaceConcat(const Node& node) {
    std::vector<ValueId> inputs;
    int64_t channels = 0;
    for (ValueId in : node.inputs) {
      if (!IsBlocked(in) || images_[in.index].channels % block_ != 0) {
        return false;
      }
      channels += images_[in.index].channels;
      inputs.push_back(images_[in.index].blocked);
    }
    return Become(node, node.op, std::move(inputs), channels);
  }

  const int64_t block_;
  const Isa isa_;
  Graph* graph_;
  std::vector<Image> images_;    // by value
  std::vector<bool> has_plain_;  // by value
};

}  // namespace

Status BlockChannels(const KernelSite& site, Graph* graph) {
  ChannelBlocker(ConvBlockedF32Block(site.isa), site.isa, graph).Run();
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    STINT_RETURN_IF_ERROR(
        BlockChannels(site, &graph->subgraph({static_cast<int32_t>(i)})));
  }
  return OkStatus();
}

}  // namespace stint

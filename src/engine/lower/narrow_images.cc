#include "engine/lower/narrow_images.h"

#include "engine/bind/conv_shape.h"
#include "engine/choose/bf16_choice.h"

namespace stint {
namespace {

constexpr size_t kX = 0;
constexpr size_t kResidual = 3;  // inputs of BlockedConv

class ImageNarrower {
 public:
  ImageNarrower(Isa isa, Graph* graph)
      : isa_(isa), graph_(*graph), narrow_(graph->num_values(), false) {}

  bool Run() {
    for (NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      const bool makes_images =
          As<BlockedConv>(node.op) || As<BlockedMaxPool>(node.op);
      if (makes_images && IsKnownImage(node.outputs[0])) {
        narrow_[node.outputs[0].index] = true;
      }
    }
    for (ValueId out : graph_.outputs()) narrow_[out.index] = false;
    while (Widen()) {
    }
    return Mark();
  }

 private:
  bool IsKnownImage(ValueId value) const {
    const ValueType& type = graph_.value(value).type;
    return type.ranked && type.rank() == 5 && IsKnown(type.dims[1]);
  }
  ConvForm FormOf(ValueId value) const {
    if (narrow_[value.index]) return ConvForm::kNarrow;
    const ValueType& type = graph_.value(value).type;
    return type.ranked && type.rank() == 4 ? ConvForm::kPlain
                                           : ConvForm::kBlocked;
  }

  bool MakeWide(ValueId value) {
    if (!value.valid() || !narrow_[value.index]) return false;
    narrow_[value.index] = false;
    return true;
  }

  // With the sizes of its images where they are known, else with small ones.
  ConvF32Shape ShapeOf(const Node& node, const Tensor& w) const {
    const BlockedConv& op = *As<BlockedConv>(node.op);
    const Shape& x = graph_.value(node.inputs[kX]).type.dims;
    if (x.size() >= 4 && IsKnown(x[2]) && IsKnown(x[3])) {
      const auto known =
          ConvShapeOf(op, {1, w.dim(1) * op.group, x[2], x[3]}, w.shape());
      if (known.ok()) return *known;
    }
    ConvF32Shape shape;
    shape.groups = op.group;
    shape.in_channels = w.dim(1) * op.group;
    shape.out_channels = w.dim(0);
    shape.kernel_h = w.dim(2);
    shape.kernel_w = w.dim(3);
    if (op.dilations.size() == 2) shape.dilation_w = op.dilations[1];
    shape.in_h = shape.out_h = 2 * shape.kernel_h;
    shape.in_w = shape.out_w = 2 * shape.kernel_w;
    return shape;
  }

  // Whether the convolution runs on its images as they are now, and gains by
  // those that are narrow.
  bool Runs(const Node& node) const {
    const auto& w = graph_.value(node.inputs[1]).constant;
    if (!w || w->rank() != 4) return false;
    const ConvF32Shape shape = ShapeOf(node, *w);
    const bool has_residual =
        node.inputs.size() > kResidual && node.inputs[kResidual].valid();
    const ConvForms forms{
        FormOf(node.inputs[kX]),
        has_residual ? FormOf(node.inputs[kResidual]) : ConvForm::kNone,
        FormOf(node.outputs[0])};
    return GainsByNarrowImages(shape, forms, isa_);
  }

  // A pool makes an image of the form that it reads.
  bool KeepsForm(const Node& node) const {
    return narrow_[node.inputs[kX].index] == narrow_[node.outputs[0].index];
  }

  // Takes images back that somebody does not read or write so. Whether there
  // were any: that may concern others.
  bool Widen() {
    bool changed = false;
    for (NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      const bool conv = As<BlockedConv>(node.op) != nullptr;
      const bool pool = As<BlockedMaxPool>(node.op) != nullptr;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        const bool image = (conv && (i == kX || i == kResidual)) || pool;
        if (!image) changed |= MakeWide(node.inputs[i]);
      }
      if (conv ? Runs(node) : !pool || KeepsForm(node)) continue;
      for (ValueId in : node.inputs) changed |= MakeWide(in);
      changed |= MakeWide(node.outputs[0]);
    }
    return changed;
  }

  bool Mark() {
    bool changed = false;
    for (NodeId id : graph_.order()) {
      Node& node = graph_.node(id);
      auto* conv = As<BlockedConv>(node.op);
      if (conv == nullptr || !narrow_[node.outputs[0].index]) continue;
      BlockedConv op = *conv;
      op.narrow = 1;
      node.op = std::move(op);
      changed = true;
    }
    return changed;
  }

  const Isa isa_;
  Graph& graph_;
  std::vector<bool> narrow_;  // by value
};

}  // namespace

bool NarrowImages(const KernelSite& site, Graph* graph) {
  if (site.precision != Precision::kBFloat16 || site.isa < Isa::kBf16) {
    return false;
  }
  bool changed = ImageNarrower(site.isa, graph).Run();
  for (size_t i = 0; i < graph->num_subgraphs(); ++i) {
    changed |= NarrowImages(site, &graph->subgraph({static_cast<int32_t>(i)}));
  }
  return changed;
}

}  // namespace stint

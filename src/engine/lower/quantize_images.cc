#include "engine/lower/quantize_images.h"

#include <algorithm>
#include <cmath>

#include "engine/lower/byte_table.h"

namespace stint {
namespace {

// Products per result up to which sums of bytes times weights fit int32.
constexpr int64_t kMaxProducts = 65536;
// Taps of a pooling window that the kernels take.
constexpr int64_t kMaxPoolTaps = 256;

// Rebuilds the order of nodes, replacing each by its form on bytes where there
// is one.
class ImageQuantizer {
 public:
  ImageQuantizer(const ImageCodes& codes, Graph* graph)
      : codes_(codes),
        graph_(graph),
        images_(graph->num_values()),
        has_plain_(graph->num_values(), true),
        readers_(graph->num_values(), 0) {
    for (NodeId id : graph->order()) {
      for (ValueId in : graph->node(id).inputs) {
        if (in.valid()) ++readers_[in.index];
      }
    }
    for (ValueId out : graph->outputs()) ++readers_[out.index];
  }

  Status Run() {
    const std::vector<NodeId> order = graph_->order();
    graph_->RemoveFromOrder();
    for (NodeId id : order) {
      STINT_ASSIGN_OR_RETURN(const bool replaced, Replace(id));
      if (!replaced) Keep(id);
    }
    for (ValueId out : graph_->outputs()) NeedPlain(out);
    return OkStatus();
  }

 private:
  // A value's twin in bytes.
  struct Image {
    ValueId bytes;
    int64_t channels = 0;
    ByteCode code;
  };

  const Shape& DimsOf(ValueId value) const {
    return graph_->value(value).type.dims;
  }
  bool IsImage(ValueId value) const {
    if (!value.valid()) return false;
    const ValueType& type = graph_->value(value).type;
    return type.typed && type.is_tensor() && type.ranked && type.rank() == 4 &&
           type.dtype == DType::kFloat32 && IsKnown(type.dims[1]);
  }
  // One value per channel: what a squeeze leaves.
  bool IsPerChannel(ValueId value) const {
    return IsImage(value) && DimsOf(value)[2] == 1 && DimsOf(value)[3] == 1;
  }
  bool IsQuantized(ValueId value) const {
    return value.valid() && images_[value.index].bytes.valid();
  }
  bool HasCode(ValueId value) const {
    return static_cast<size_t>(value.index) < codes_.codes.size() &&
           codes_.codes[value.index].has_value();
  }
  // There is a form in bytes, or one can be made.
  bool CanQuantize(ValueId value) const {
    return IsQuantized(value) ||
           (IsImage(value) && HasCode(value) && !IsPerChannel(value) &&
            !graph_->value(value).constant);
  }
  ByteCode StatedCode(ValueId value) const {
    return *codes_.codes[value.index];
  }
  const Tensor* Constant(ValueId value) const {
    const auto& constant = graph_->value(value).constant;
    return constant ? &*constant : nullptr;
  }

  void Grow() {
    images_.resize(graph_->num_values());
    has_plain_.resize(graph_->num_values(), true);
  }

  const Image& Quantized(ValueId value) {
    if (!IsQuantized(value)) {
      const ByteCode code = StatedCode(value);
      const ValueId bytes =
          graph_->Add(graph_->value(value).name + ".bytes",
                      QuantizeImage{code.scale, code.zero}, {value});
      Grow();
      images_[value.index] = {bytes, DimsOf(value)[1], code};
    }
    return images_[value.index];
  }

  // Makes sure that somebody can read the plain form.
  void NeedPlain(ValueId value) {
    if (!value.valid() || has_plain_[value.index]) return;
    const Image& image = images_[value.index];
    graph_->AddNode(
        graph_->value(value).name + ".plain",
        DequantizeImage{image.channels, image.code.scale, image.code.zero},
        {image.bytes}, {value});
    has_plain_[value.index] = true;
  }

  void Keep(NodeId id) {
    for (ValueId in : graph_->node(id).inputs) NeedPlain(in);
    graph_->AppendToOrder(id);
  }

  // `node`'s output is from now on made by `op`, in bytes.
  bool Become(const Node& node, Op op, std::vector<ValueId> inputs,
              const ByteCode& code) {
    const ValueId out = node.outputs[0];
    const ValueId bytes =
        graph_->Add(node.name, std::move(op), std::move(inputs));
    Grow();
    images_[out.index] = {bytes, DimsOf(out)[1], code};
    has_plain_[out.index] = false;
    graph_->value(out).producer = NodeId{};
    return true;
  }

  Result<bool> Replace(NodeId id) {
    const Node node = graph_->node(id);
    if (node.outputs.empty() || !IsImage(node.outputs[0]) ||
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
      return binary->kind == BinaryKind::kAdd   ? ReplaceAdd(node)
             : binary->kind == BinaryKind::kMul ? ReplaceGate(node)
                                                : false;
    }
    if (!IsQuantized(node.inputs[0])) return false;
    if (As<GlobalAveragePool>(node.op)) return ReplaceGlobal(node);
    if (ReplacePool(node) || MergeLeak(node)) return true;
    return ReplaceUnary(node);
  }

  bool FitsConv(const FusedConv& op, const Node& node) const {
    const Tensor* w = Constant(node.inputs[1]);
    if (w == nullptr || w->rank() != 4 || w->size() == 0) return false;
    const int64_t group_in = w->dim(1);
    const bool depthwise = group_in == 1 && w->dim(0) == op.group;
    const bool groups = op.group == 1 || depthwise || group_in % 4 == 0;
    const bool bias = node.inputs.size() < 3 || !node.inputs[2].valid() ||
                      Constant(node.inputs[2]) != nullptr;
    return groups && bias && w->size() / w->dim(0) <= kMaxProducts;
  }

  bool ReplaceConv(const Node& node) {
    const FusedConv& op = *As<FusedConv>(node.op);
    const bool has_residual = node.inputs.size() > 3 && node.inputs[3].valid();
    if (!FitsConv(op, node) || !CanQuantize(node.inputs[0]) ||
        !HasCode(node.outputs[0]) ||
        (has_residual && !CanQuantize(node.inputs[3]))) {
      return false;
    }
    QuantizedConv conv;
    static_cast<FusedConv&>(conv) = op;
    std::vector<ValueId> inputs = node.inputs;
    const Image x = Quantized(inputs[0]);
    inputs[0] = x.bytes;
    conv.x_scale = x.code.scale;
    conv.x_zero = x.code.zero;
    if (has_residual) {
      const Image r = Quantized(inputs[3]);
      inputs[3] = r.bytes;
      conv.r_scale = r.code.scale;
      conv.r_zero = r.code.zero;
    }
    if (const auto scales = codes_.weight_scales.find(inputs[1]);
        scales != codes_.weight_scales.end()) {
      inputs.resize(QuantizedConv::kWeightScales + 1, kNoValue);
      inputs[QuantizedConv::kWeightScales] =
          graph_->AddConstant(node.name + ".scales", scales->second);
      Grow();
    }
    const ByteCode code = StatedCode(node.outputs[0]);
    conv.y_scale = code.scale;
    conv.y_zero = code.zero;
    return Become(node, std::move(conv), std::move(inputs), code);
  }

  bool ReplacePool(const Node& node) {
    const auto small = [](const std::vector<int64_t>& kernel) {
      return kernel.size() == 2 && kernel[0] * kernel[1] <= kMaxPoolTaps;
    };
    const Image x = images_[node.inputs[0].index];
    if (const auto* max = As<MaxPool>(node.op)) {
      if (!small(max->kernel_shape)) return false;
      QuantizedMaxPool pool;
      static_cast<MaxPool&>(pool) = *max;
      return Become(node, std::move(pool), {x.bytes}, x.code);
    }
    if (const auto* average = As<AveragePool>(node.op)) {
      if (!small(average->kernel_shape)) return false;
      QuantizedAveragePool pool;
      static_cast<AveragePool&>(pool) = *average;
      pool.zero = x.code.zero;
      return Become(node, std::move(pool), {x.bytes}, x.code);
    }
    return false;
  }

  // The average is a float: it goes into a linear layer or a small branch.
  bool ReplaceGlobal(const Node& node) {
    const Image x = images_[node.inputs[0].index];
    const ValueId out = node.outputs[0];
    graph_->value(out).producer = NodeId{};
    graph_->AddNode(
        node.name,
        QuantizedGlobalAverage{x.channels, x.code.scale, x.code.zero},
        {x.bytes}, {out});
    return true;
  }

  bool ReplaceAdd(const Node& node) {
    const ValueId a = node.inputs[0];
    const ValueId b = node.inputs[1];
    if ((!IsQuantized(a) && !IsQuantized(b)) || !CanQuantize(a) ||
        !CanQuantize(b) || DimsOf(a) != DimsOf(b) ||
        !HasCode(node.outputs[0])) {
      return false;
    }
    const Image left = Quantized(a);
    const Image right = Quantized(b);
    const ByteCode code = StatedCode(node.outputs[0]);
    return Become(
        node,
        QuantizedAdd{left.code.scale, left.code.zero, right.code.scale,
                     right.code.zero, code.scale, code.zero},
        {left.bytes, right.bytes}, code);
  }

  bool ReplaceGate(const Node& node) {
    ValueId image = node.inputs[0];
    ValueId gate = node.inputs[1];
    if (!IsQuantized(image)) std::swap(image, gate);
    if (!IsQuantized(image) || IsQuantized(gate) || !IsPerChannel(gate) ||
        DimsOf(gate)[0] != DimsOf(image)[0] ||
        DimsOf(gate)[1] != DimsOf(image)[1] || !HasCode(node.outputs[0])) {
      return false;
    }
    const Image x = images_[image.index];
    const ByteCode code = StatedCode(node.outputs[0]);
    return Become(
        node, QuantizedGate{x.code.scale, x.code.zero, code.scale, code.zero},
        {x.bytes, gate}, code);
  }

  bool ReplaceConcat(const Node& node) {
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ValueId in) { return IsQuantized(in); });
    const bool all = std::all_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ValueId in) { return CanQuantize(in); });
    if (!any || !all || !HasCode(node.outputs[0])) return false;
    QuantizedConcat concat;
    std::vector<ValueId> inputs;
    for (ValueId in : node.inputs) {
      const Image x = Quantized(in);
      inputs.push_back(x.bytes);
      concat.channels.push_back(x.channels);
      concat.scales.push_back(x.code.scale);
      concat.zeros.push_back(x.code.zero);
    }
    const ByteCode code = StatedCode(node.outputs[0]);
    concat.y_scale = code.scale;
    concat.y_zero = code.zero;
    return Become(node, std::move(concat), std::move(inputs), code);
  }

  // A leak behind a convolution that nobody else reads becomes part of it: what
  // is below 0 then needs no codes of its own.
  bool MergeLeak(const Node& node) {
    const auto* leaky = As<LeakyRelu>(node.op);
    const ValueId in = node.inputs[0];
    const ValueId out = node.outputs[0];
    if (leaky == nullptr || leaky->alpha < 0 || leaky->alpha > 1 ||
        readers_[in.index] != 1 || !HasCode(out)) {
      return false;
    }
    const Image x = images_[in.index];
    Node& maker = graph_->node(graph_->value(x.bytes).producer);
    const auto* conv = As<QuantizedConv>(maker.op);
    if (conv == nullptr || conv->activation != "none" || conv->leak != 1 ||
        std::isfinite(conv->lo) || std::isfinite(conv->hi)) {
      return false;
    }
    QuantizedConv merged = *conv;
    const ByteCode code = StatedCode(out);
    merged.leak = leaky->alpha;
    merged.y_scale = code.scale;
    merged.y_zero = code.zero;
    maker.op = std::move(merged);
    images_[out.index] = {x.bytes, x.channels, code};
    has_plain_[out.index] = false;
    graph_->value(out).producer = NodeId{};
    return true;
  }

  // A function of one element is a table.
  Result<bool> ReplaceUnary(const Node& node) {
    if (!IsElementwise(node.op) || !HasCode(node.outputs[0])) return false;
    std::vector<const Tensor*> constants(node.inputs.size(), nullptr);
    for (size_t i = 1; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].valid()) continue;
      constants[i] = Constant(node.inputs[i]);
      if (constants[i] == nullptr) return false;
    }
    const Image x = images_[node.inputs[0].index];
    const ByteCode code = StatedCode(node.outputs[0]);
    STINT_ASSIGN_OR_RETURN(Tensor table,
                           ByteTable(node.op, constants, x.code, code));
    const ValueId bytes =
        graph_->AddConstant(node.name + ".table", std::move(table));
    Grow();
    return Become(node, QuantizedLookup{}, {x.bytes, bytes}, code);
  }

  const ImageCodes& codes_;
  Graph* graph_;
  std::vector<Image> images_;    // by value
  std::vector<bool> has_plain_;  // by value
  std::vector<int> readers_;     // by value of the graph as it was
};

}  // namespace

Status QuantizeImages(const ImageCodes& codes, Graph* graph) {
  return ImageQuantizer(codes, graph).Run();
}

}  // namespace stint

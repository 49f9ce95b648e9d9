#include "engine/lower/stated_codes.h"

#include <algorithm>

#include "engine/reference/evaluate.h"

namespace stint {
namespace {

class CodeTaker {
 public:
  explicit CodeTaker(Graph* graph)
      : graph_(graph),
        readers_(graph->num_values()),
        is_output_(graph->num_values(), false) {
    for (ValueId out : graph->outputs()) is_output_[out.index] = true;
    result_.codes.resize(graph->num_values());
  }

  Result<ImageCodes> Run() {
    FindReaders();
    const std::vector<NodeId> order = graph_->order();
    for (NodeId id : order) TakePair(id);
    const bool any = !dead_.empty();
    for (NodeId id : order) {
      if (any || IsReadByConv(id)) STINT_RETURN_IF_ERROR(FoldWeights(id));
    }
    if (dead_.empty()) return std::move(result_);
    graph_->RemoveNodes([&](NodeId id) {
      return std::find(dead_.begin(), dead_.end(), id) != dead_.end();
    });
    for (NodeId id : graph_->order()) FuseNothing(id);
    return std::move(result_);
  }

 private:
  void FindReaders() {
    for (NodeId id : graph_->order()) {
      for (ValueId in : graph_->node(id).inputs) {
        if (in.valid()) readers_[in.index].push_back(id);
      }
    }
  }
  const Tensor* Constant(const Node& node, size_t i) const {
    if (i >= node.inputs.size() || !node.inputs[i].valid()) return nullptr;
    const auto& constant = graph_->value(node.inputs[i]).constant;
    return constant ? &*constant : nullptr;
  }
  bool IsImage(ValueId value) const {
    const ValueType& type = graph_->value(value).type;
    return type.ranked && type.rank() == 4 && type.dtype == DType::kFloat32 &&
           !(type.dims[2] == 1 && type.dims[3] == 1);
  }

  // The code of a Quantize- or DequantizeLinear node; one byte for all.
  std::optional<ByteCode> CodeAt(const Node& node) const {
    const Tensor* scale = Constant(node, 1);
    const Tensor* zero = Constant(node, 2);
    if (scale == nullptr || zero == nullptr || scale->size() != 1 ||
        zero->size() != 1 || scale->dtype() != DType::kFloat32 ||
        zero->dtype() != DType::kUInt8) {
      return std::nullopt;
    }
    return ByteCode{scale->data<float>()[0], zero->data<uint8_t>()[0]};
  }

  bool IsConv(NodeId id) const {
    return id.valid() && (As<Conv>(graph_->node(id).op) ||
                          As<FusedConv>(graph_->node(id).op));
  }
  bool IsReadByConv(NodeId id) const {
    for (ValueId out : graph_->node(id).outputs) {
      if (out.valid() &&
          std::any_of(readers_[out.index].begin(), readers_[out.index].end(),
                      [&](NodeId r) { return IsConv(r); })) {
        return true;
      }
    }
    return false;
  }
  // A convolution makes `x` or reads it back from its bytes `q`.
  bool TouchesConv(ValueId x, ValueId q) const {
    if (IsConv(graph_->value(x).producer)) return true;
    for (NodeId reader : readers_[q.index]) {
      const ValueId y = graph_->node(reader).outputs[0];
      if (std::any_of(readers_[y.index].begin(), readers_[y.index].end(),
                      [&](NodeId id) { return IsConv(id); })) {
        return true;
      }
    }
    return false;
  }

  // Every reader of the bytes turns them back, and nobody else sees them.
  bool IsPair(ValueId q, const ByteCode& code) const {
    if (is_output_[q.index]) return false;
    return std::all_of(
        readers_[q.index].begin(), readers_[q.index].end(), [&](NodeId id) {
          const Node& back = graph_->node(id);
          const std::optional<ByteCode> same = CodeAt(back);
          return As<DequantizeLinear>(back.op) && same &&
                 same->scale == code.scale && same->zero == code.zero &&
                 !is_output_[back.outputs[0].index];
        });
  }

  void TakePair(NodeId id) {
    const Node& node = graph_->node(id);
    if (!As<QuantizeLinear>(node.op)) return;
    const std::optional<ByteCode> code = CodeAt(node);
    const ValueId x = node.inputs[0];
    const ValueId q = node.outputs[0];
    if (!code || !(code->scale > 0) || !IsImage(x) || !IsPair(q, *code) ||
        !TouchesConv(x, q)) {
      return;
    }
    if (readers_[x.index].size() != 1 || is_output_[x.index]) {
      return TakeBranch(id, *code);
    }
    result_.codes[x.index] = code;
    dead_.push_back(id);
    for (NodeId reader : readers_[q.index]) {
      Bypass(graph_->node(reader).outputs[0], x);
      dead_.push_back(reader);
    }
  }

  // Others read `x` as it is: only what convolutions read back has the code.
  void TakeBranch(NodeId id, const ByteCode& code) {
    const Node& node = graph_->node(id);
    const auto only_convs = [&](NodeId reader) {
      const auto& readers = readers_[graph_->node(reader).outputs[0].index];
      return std::all_of(readers.begin(), readers.end(),
                         [&](NodeId r) { return IsConv(r); });
    };
    const auto& backs = readers_[node.outputs[0].index];
    if (!std::all_of(backs.begin(), backs.end(), only_convs)) return;
    for (NodeId reader : backs) {
      Node& back = graph_->node(reader);
      back.op = Unary{UnaryKind::kIdentity};
      back.inputs = {node.inputs[0]};
      result_.codes[back.outputs[0].index] = code;
    }
    dead_.push_back(id);
  }

  // Readers of `y` read `x` instead.
  void Bypass(ValueId y, ValueId x) {
    for (NodeId id : readers_[y.index]) {
      auto& inputs = graph_->node(id).inputs;
      std::replace(inputs.begin(), inputs.end(), y, x);
    }
  }

  // A dequantized constant becomes a constant; its scales are kept where it may
  // be the weights of a convolution.
  Status FoldWeights(NodeId id) {
    const Node node = graph_->node(id);
    const Tensor* q = Constant(node, 0);
    const Tensor* scale = Constant(node, 1);
    if (!As<DequantizeLinear>(node.op) || q == nullptr || scale == nullptr) {
      return OkStatus();
    }
    const ValueId out = node.outputs[0];
    if (is_output_[out.index] || !graph_->value(out).type.IsConcrete()) {
      return OkStatus();
    }
    ThreadPool pool(1);
    EvalContext ctx(node.inputs.size(), 1, &pool);
    std::vector<Value> inputs(node.inputs.size());
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (const Tensor* constant = Constant(node, i)) {
        inputs[i] = Value(*constant);
        ctx.SetInput(static_cast<int>(i), &inputs[i]);
      }
    }
    const ValueType& type = graph_->value(out).type;
    STINT_RETURN_IF_ERROR(ctx.Allocate(0, type.dtype, type.dims));
    STINT_RETURN_IF_ERROR(Evaluate(node.op, ctx));
    STINT_RETURN_IF_ERROR(KeepScales(node, *q, *scale));
    graph_->MakeConstant(out, ctx.out(0));
    dead_.push_back(id);
    return OkStatus();
  }

  // Weights in int8 around zero, one scale for all or one per output channel.
  Status KeepScales(const Node& node, const Tensor& q, const Tensor& scale) {
    const int64_t axis = As<DequantizeLinear>(node.op)->axis;
    const Tensor* zero = Constant(node, 2);
    const bool centered =
        zero == nullptr ||
        (zero->dtype() == DType::kInt8 &&
         std::all_of(zero->data<int8_t>(), zero->data<int8_t>() + zero->size(),
                     [](int8_t z) { return z == 0; }));
    const bool fits = scale.size() == 1 || (scale.rank() == 1 && axis == 0 &&
                                            scale.size() == q.dim(0));
    if (q.rank() != 4 || q.dtype() != DType::kInt8 || !centered || !fits ||
        scale.dtype() != DType::kFloat32) {
      return OkStatus();
    }
    STINT_ASSIGN_OR_RETURN(Tensor scales,
                           Tensor::Allocate(DType::kFloat32, {q.dim(0)}));
    for (int64_t o = 0; o < q.dim(0); ++o) {
      scales.data<float>()[o] = scale.data<float>()[scale.size() == 1 ? 0 : o];
    }
    result_.weight_scales.emplace(node.outputs[0], std::move(scales));
    return OkStatus();
  }

  // A convolution as the form that has integer kernels.
  void FuseNothing(NodeId id) {
    Node& node = graph_->node(id);
    const Conv* conv = As<Conv>(node.op);
    if (conv == nullptr || node.inputs[0].index < 0) return;
    FusedConv fused;
    static_cast<Conv&>(fused) = *conv;
    node.op = std::move(fused);
  }

  Graph* graph_;
  std::vector<std::vector<NodeId>> readers_;  // by value
  std::vector<bool> is_output_;               // by value
  std::vector<NodeId> dead_;
  ImageCodes result_;
};

}  // namespace

Result<ImageCodes> TakeStatedCodes(Graph* graph) {
  return CodeTaker(graph).Run();
}

}  // namespace stint

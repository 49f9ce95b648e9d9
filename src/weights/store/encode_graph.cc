#include "core/base/byte_writer.h"
#include "weights/store/graph_codec.h"
#include "weights/store/graph_tags.h"

namespace stint::store {
namespace {

class GraphEncoder {
 public:
  GraphEncoder(const Graph& graph, const PutTensor& put, ByteWriter* out)
      : graph_(graph),
        put_(put),
        out_(*out),
        values_(ValuesInFile(graph)),
        ids_(graph.num_values(), -1) {
    for (size_t i = 0; i < values_.size(); ++i) {
      ids_[values_[i].index] = static_cast<int32_t>(i);
    }
  }

  void Run() {
    out_.PutText(graph_.name);
    out_.PutText(graph_.doc);
    PutTexts(graph_.symbols());
    out_.PutCount(values_.size());
    for (ValueId id : values_) PutValue(graph_.value(id));
    PutIds(graph_.inputs());
    PutIds(graph_.outputs());
    out_.PutCount(graph_.num_subgraphs());
    for (size_t i = 0; i < graph_.num_subgraphs(); ++i) {
      GraphEncoder(graph_.subgraph({static_cast<int32_t>(i)}), put_, &out_)
          .Run();
    }
    out_.PutCount(graph_.order().size());
    for (NodeId id : graph_.order()) PutNode(graph_.node(id));
  }

  // Fields of operators, by name and kind.
  void operator()(const char* name, const auto& value) {
    out_.PutText(name);
    PutField(value);
  }

 private:
  void PutTexts(const std::vector<std::string>& texts) {
    out_.PutCount(texts.size());
    for (const std::string& text : texts) out_.PutText(text);
  }
  void PutIds(const std::vector<ValueId>& ids) {
    out_.PutCount(ids.size());
    for (ValueId id : ids) out_.Put(id.valid() ? ids_[id.index] : -1);
  }
  void PutValue(const GraphValue& value) {
    out_.PutText(value.name);
    const ValueType& type = value.type;
    out_.Put(static_cast<uint8_t>(type.kind));
    out_.Put(static_cast<uint8_t>(type.typed));
    out_.Put(static_cast<uint8_t>(type.dtype));
    out_.Put(static_cast<uint8_t>(type.ranked));
    out_.Put(static_cast<uint8_t>(type.optional_sequence));
    out_.PutCount(type.dims.size());
    for (int64_t dim : type.dims) out_.Put(dim);
    const bool stored = value.constant && value.constant->has_elements();
    out_.Put(static_cast<uint8_t>(!value.constant ? Contents::kNone
                                  : stored        ? Contents::kTensor
                                                  : Contents::kPacked));
    if (stored) out_.Put(put_(*value.constant));
  }
  void PutNode(const Node& node) {
    out_.PutText(node.name);
    out_.PutText(OpName(node.op));
    Visit([&](const auto& op) { op.Fields(op, *this); }, node.op);
    PutIds(node.inputs);
    PutIds(node.outputs);
  }

  void PutField(int64_t value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kInt));
    out_.Put(value);
  }
  void PutField(float value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kFloat));
    out_.Put(value);
  }
  void PutField(const std::string& value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kText));
    out_.PutText(value);
  }
  void PutField(DType value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kDType));
    out_.Put(static_cast<uint8_t>(value));
  }
  void PutField(const Tensor& value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kTensor));
    out_.Put(put_(value));
  }
  void PutField(SubgraphId value) {
    out_.Put(static_cast<uint8_t>(FieldTag::kSubgraph));
    out_.Put(value.index);
  }
  template <typename T>
  void PutField(const std::vector<T>& values) {
    out_.Put(static_cast<uint8_t>(FieldTag::kList));
    out_.PutCount(values.size());
    for (const T& value : values) PutField(value);
  }

  const Graph& graph_;
  const PutTensor& put_;
  ByteWriter& out_;
  const std::vector<ValueId> values_;
  std::vector<int32_t> ids_;  // by value of the graph: its place in values_
};

}  // namespace

std::vector<ValueId> ValuesInFile(const Graph& graph) {
  std::vector<ValueId> values;
  std::vector<bool> seen(graph.num_values(), false);
  const auto use = [&](const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      if (!id.valid() || seen[id.index]) continue;
      seen[id.index] = true;
      values.push_back(id);
    }
  };
  use(graph.inputs());
  for (NodeId id : graph.order()) {
    use(graph.node(id).inputs);
    use(graph.node(id).outputs);
  }
  use(graph.outputs());
  return values;
}

std::string EncodeGraph(const Graph& graph, const PutTensor& put) {
  ByteWriter out;
  GraphEncoder(graph, put, &out).Run();
  return out.Take();
}

}  // namespace stint::store

#include "core/base/byte_reader.h"
#include "weights/store/graph_codec.h"
#include "weights/store/graph_tags.h"

namespace stint::store {
namespace {

// Bodies of control flow nest; a damaged file must not nest without end.
constexpr int kMaxDepth = 64;

class GraphDecoder {
 public:
  GraphDecoder(ByteReader* in, const GetTensor& get, int depth)
      : in_(*in), get_(get), depth_(depth) {}

  Result<std::unique_ptr<Graph>> Run() {
    if (depth_ > kMaxDepth) return Damaged("bodies nest too deep");
    graph_->name = in_.GetText();
    graph_->doc = in_.GetText();
    const size_t symbols = in_.GetCount(4);
    for (size_t i = 0; i < symbols; ++i) graph_->Symbol(in_.GetText());
    if (graph_->symbols().size() != symbols) return Bad("names of dimensions");
    STINT_RETURN_IF_ERROR(ReadValues());
    STINT_RETURN_IF_ERROR(ReadSubgraphs());
    const size_t nodes = in_.GetCount(8);
    for (size_t i = 0; i < nodes; ++i) STINT_RETURN_IF_ERROR(ReadNode());
    for (ValueId id : outputs_) graph_->MarkOutput(id);
    if (!in_.ok()) return Bad("nodes");
    return std::move(graph_);
  }

  // Fields of operators.
  void operator()(const char* name, auto& value) {
    if (!status_.ok()) return;
    const std::string found = in_.GetText();
    if (found != name) {
      status_ = Damaged("expected field '" + std::string(name) + "', found '" +
                        found + "'");
      return;
    }
    ReadField(&value);
  }

 private:
  Status Bad(const std::string& what) const {
    return Damaged(what + " end or go wrong at offset " +
                   std::to_string(in_.position()));
  }

  Status ReadValues() {
    struct Entry {
      std::string name;
      ValueType type;
      Contents contents = Contents::kNone;
      uint32_t tensor = 0;
    };
    std::vector<Entry> entries(in_.GetCount(16));
    for (Entry& entry : entries) {
      entry.name = in_.GetText();
      STINT_RETURN_IF_ERROR(ReadType(&entry.type));
      entry.contents = static_cast<Contents>(in_.Get<uint8_t>());
      if (entry.contents > Contents::kPacked) in_.Fail();
      if (entry.contents == Contents::kTensor) {
        entry.tensor = in_.Get<uint32_t>();
      }
      if (!in_.ok()) return Bad("values");
    }
    const std::vector<int32_t> inputs = ReadIds();
    const std::vector<int32_t> outputs = ReadIds();
    if (!in_.ok()) return Bad("inputs and outputs");
    // Inputs come first, in their order.
    for (size_t i = 0; i < entries.size(); ++i) {
      Entry& entry = entries[i];
      if (i < inputs.size()) {
        if (inputs[i] != static_cast<int32_t>(i)) return Bad("inputs");
        graph_->AddInput(std::move(entry.name), std::move(entry.type));
      } else if (entry.contents == Contents::kNone) {
        graph_->AddValue(std::move(entry.name), std::move(entry.type));
      } else {
        STINT_ASSIGN_OR_RETURN(Tensor tensor,
                               entry.contents == Contents::kTensor
                                   ? get_(entry.tensor)
                                   : WithoutElements(entry.name, entry.type));
        graph_->AddConstant(std::move(entry.name), std::move(tensor));
      }
    }
    if (inputs.size() > entries.size()) return Bad("inputs");
    STINT_ASSIGN_OR_RETURN(outputs_, ToValues(outputs));
    return OkStatus();
  }

  static Result<Tensor> WithoutElements(const std::string& name,
                                        const ValueType& type) {
    if (!type.IsConcrete() || !type.is_tensor()) {
      return Damaged("packed constant '" + name + "' has no shape");
    }
    STINT_RETURN_IF_ERROR(CheckDims(type.dims));
    return Tensor::Borrow(type.dtype, type.dims, nullptr);
  }

  Status ReadType(ValueType* type) {
    const auto kind = in_.Get<uint8_t>();
    type->kind = static_cast<Value::Kind>(kind);
    type->typed = in_.Get<uint8_t>() != 0;
    const auto dtype = in_.Get<uint8_t>();
    type->dtype = static_cast<DType>(dtype);
    type->ranked = in_.Get<uint8_t>() != 0;
    type->optional_sequence = in_.Get<uint8_t>() != 0;
    type->dims.resize(in_.GetCount(8));
    const auto lowest =
        kFirstSymbol - static_cast<int64_t>(graph_->symbols().size());
    for (int64_t& dim : type->dims) {
      dim = in_.Get<int64_t>();
      if (dim <= lowest || dim > kMaxDim) in_.Fail();
    }
    if (kind > static_cast<uint8_t>(Value::Kind::kOptional) ||
        dtype > static_cast<uint8_t>(DType::kComplex128)) {
      in_.Fail();
    }
    return in_.ok() ? OkStatus() : Bad("types");
  }

  Status ReadSubgraphs() {
    const size_t count = in_.GetCount(24);
    for (size_t i = 0; i < count; ++i) {
      STINT_ASSIGN_OR_RETURN(auto body,
                             GraphDecoder(&in_, get_, depth_ + 1).Run());
      graph_->AddSubgraph(std::move(body));
    }
    return in_.ok() ? OkStatus() : Bad("bodies");
  }

  Status ReadNode() {
    std::string name = in_.GetText();
    const std::string op_name = in_.GetText();
    if (!in_.ok()) return Bad("nodes");
    const OpEntry* entry = FindOp(op_name);
    if (entry == nullptr) {
      return Unsupported("node '" + name + "' is a " + op_name +
                         ", which this version of stint has not");
    }
    Op op = entry->Make();
    Visit([&](auto& o) { o.Fields(o, *this); }, &op);
    STINT_RETURN_IF_ERROR(status_.Annotate("node '" + name + "'"));
    STINT_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, ToValues(ReadIds()));
    STINT_ASSIGN_OR_RETURN(std::vector<ValueId> outputs, ToValues(ReadIds()));
    for (ValueId out : outputs) {
      if (out.valid() &&
          (graph_->value(out).producer.valid() || graph_->value(out).constant ||
           static_cast<size_t>(out.index) < graph_->inputs().size())) {
        return Damaged("node '" + name + "' computes '" +
                       graph_->value(out).name + "' a second time");
      }
    }
    graph_->AddNode(std::move(name), std::move(op), std::move(inputs),
                    std::move(outputs));
    return in_.ok() ? OkStatus() : Bad("nodes");
  }

  std::vector<int32_t> ReadIds() {
    std::vector<int32_t> ids(in_.GetCount(4));
    for (int32_t& id : ids) id = in_.Get<int32_t>();
    return ids;
  }
  Result<std::vector<ValueId>> ToValues(const std::vector<int32_t>& ids) const {
    std::vector<ValueId> values;
    for (int32_t id : ids) {
      if (id < -1 || id >= static_cast<int64_t>(graph_->num_values())) {
        return Bad("value numbers");
      }
      values.push_back({id});
    }
    return values;
  }

  void Expect(FieldTag tag) {
    const auto found = in_.Get<uint8_t>();
    if (!in_.ok() || found != static_cast<uint8_t>(tag)) {
      status_ = Damaged("a field is of kind " + std::to_string(found) +
                        ", expected " + std::to_string(static_cast<int>(tag)));
    }
  }
  void ReadField(int64_t* value) {
    Expect(FieldTag::kInt);
    *value = in_.Get<int64_t>();
  }
  void ReadField(float* value) {
    Expect(FieldTag::kFloat);
    *value = in_.Get<float>();
  }
  void ReadField(std::string* value) {
    Expect(FieldTag::kText);
    *value = in_.GetText();
  }
  void ReadField(DType* value) {
    Expect(FieldTag::kDType);
    const auto dtype = in_.Get<uint8_t>();
    if (dtype > static_cast<uint8_t>(DType::kComplex128)) {
      status_ = Damaged("element type " + std::to_string(dtype));
      return;
    }
    *value = static_cast<DType>(dtype);
  }
  void ReadField(Tensor* value) {
    Expect(FieldTag::kTensor);
    auto tensor = get_(in_.Get<uint32_t>());
    if (!tensor.ok()) {
      status_ = tensor.status();
    } else {
      *value = std::move(tensor).value();
    }
  }
  void ReadField(SubgraphId* value) {
    Expect(FieldTag::kSubgraph);
    value->index = in_.Get<int32_t>();
  }
  template <typename T>
  void ReadField(std::vector<T>* values) {
    Expect(FieldTag::kList);
    const size_t count = in_.GetCount(1);
    values->clear();
    for (size_t i = 0; i < count && status_.ok() && in_.ok(); ++i) {
      values->emplace_back();
      ReadField(&values->back());
    }
  }

  ByteReader& in_;
  const GetTensor& get_;
  const int depth_;
  std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
  std::vector<ValueId> outputs_;
  Status status_;
};

}  // namespace

Result<std::unique_ptr<Graph>> DecodeGraph(std::span<const uint8_t> bytes,
                                           const GetTensor& get) {
  ByteReader in(bytes);
  STINT_ASSIGN_OR_RETURN(auto graph, GraphDecoder(&in, get, 0).Run());
  if (!in.AtEnd()) {
    return Damaged("has bytes after its end at offset " +
                   std::to_string(in.position()));
  }
  const Status verified = VerifyGraph(*graph);
  if (!verified.ok()) return Damaged(verified.message());
  STINT_RETURN_IF_ERROR(InferGraph(graph.get()));
  return graph;
}

}  // namespace stint::store

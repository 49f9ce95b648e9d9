#include "convert/onnx/node_import.h"

#include <algorithm>

#include "convert/onnx/element_type.h"

namespace stint::onnx {

Status NodeImport::RequireInputs(size_t count) const {
  for (size_t i = 0; i < count; ++i) {
    if (!in(i).valid()) {
      return Damaged("input " + std::to_string(i) + " is missing");
    }
  }
  return OkStatus();
}

const AttributeProto* NodeImport::attribute(std::string_view name) {
  read_.insert(name);
  for (const AttributeProto& a : proto_.attributes) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

int64_t NodeImport::Int(std::string_view name, int64_t fallback) {
  const AttributeProto* a = attribute(name);
  return a != nullptr ? a->i : fallback;
}

float NodeImport::Float(std::string_view name, float fallback) {
  const AttributeProto* a = attribute(name);
  return a != nullptr ? a->f : fallback;
}

std::string NodeImport::String(std::string_view name, std::string fallback) {
  const AttributeProto* a = attribute(name);
  return a != nullptr ? std::string(a->s) : fallback;
}

std::vector<int64_t> NodeImport::Ints(std::string_view name) {
  const AttributeProto* a = attribute(name);
  return a != nullptr ? a->ints : std::vector<int64_t>();
}

std::vector<float> NodeImport::Floats(std::string_view name) {
  const AttributeProto* a = attribute(name);
  return a != nullptr ? a->floats : std::vector<float>();
}

Result<Tensor> NodeImport::TensorOf(const AttributeProto& a) {
  if (a.t == nullptr) {
    return Damaged("attribute '" + std::string(a.name) + "' has no tensor");
  }
  return tensors_->Read(*a.t);
}

const Tensor* NodeImport::ConstantInput(size_t i) const {
  if (!in(i).valid()) return nullptr;
  const GraphValue& value = graph_->value(in(i));
  return value.constant ? &*value.constant : nullptr;
}

std::string NodeImport::NextName() {
  const std::string base = !proto_.name.empty() ? std::string(proto_.name)
                                                : std::string(proto_.op_type);
  return base + "/" + std::to_string(emitted_++);
}

ValueId NodeImport::Constant(Tensor tensor) {
  return graph_->AddConstant(NextName(), std::move(tensor));
}

void NodeImport::SetInput(size_t i, ValueId value) {
  if (inputs.size() <= i) inputs.resize(i + 1, kNoValue);
  inputs[i] = value;
}

ValueId NodeImport::Emit(Op op, std::vector<ValueId> node_inputs) {
  return graph_->Add(NextName(), std::move(op), std::move(node_inputs));
}

void NodeImport::EmitLast(Op op, std::vector<ValueId> node_inputs) {
  std::string name(proto_.name);
  if (name.empty() && !outputs.empty() && outputs[0].valid()) {
    name = graph_->value(outputs[0]).name;
  }
  graph_->AddNode(std::move(name), std::move(op), std::move(node_inputs),
                  outputs);
}

void NodeImport::Forward(ValueId value, size_t output) {
  if (output >= outputs.size() || !outputs[output].valid()) return;
  graph_->AddNode(NextName(), Unary{UnaryKind::kIdentity}, {value},
                  {outputs[output]});
}

namespace {

// Kinds of AttributeProto.type, by the field that holds them.
enum AttributeType {
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8
};

// Copies attributes into the fields of the same name.
class FieldReader {
 public:
  explicit FieldReader(NodeImport* node) : node_(node) {}

  template <typename T>
  void operator()(const char* name, T& field) {
    if (!status.ok()) return;
    const AttributeProto* a = node_->attribute(name);
    if (a != nullptr) Read(*a, field);
  }

  Status status;

 private:
  bool Expect(const AttributeProto& a, int type) {
    if (a.type == 0 || a.type == type) return true;
    status =
        Damaged("attribute '" + std::string(a.name) + "' has type " +
                std::to_string(a.type) + ", expected " + std::to_string(type));
    return false;
  }
  void Read(const AttributeProto& a, int64_t& field) {
    if (Expect(a, kInt)) field = a.i;
  }
  void Read(const AttributeProto& a, float& field) {
    if (Expect(a, kFloat)) field = a.f;
  }
  void Read(const AttributeProto& a, std::string& field) {
    if (Expect(a, kString)) field = std::string(a.s);
  }
  void Read(const AttributeProto& a, std::vector<int64_t>& field) {
    if (Expect(a, kInts)) field = a.ints;
  }
  void Read(const AttributeProto& a, std::vector<float>& field) {
    if (Expect(a, kFloats)) field = a.floats;
  }
  void Read(const AttributeProto& a, std::vector<std::string>& field) {
    if (Expect(a, kStrings)) field.assign(a.strings.begin(), a.strings.end());
  }
  void Read(const AttributeProto& a, DType& field) {
    if (!Expect(a, kInt)) return;
    const auto dtype = DTypeFromOnnx(static_cast<int32_t>(a.i));
    if (dtype) {
      field = *dtype;
    } else {
      status = Unsupported("attribute '" + std::string(a.name) +
                           "' is element type number " + std::to_string(a.i));
    }
  }
  void Read(const AttributeProto& a, Tensor& field) {
    auto tensor = node_->TensorOf(a);
    if (tensor.ok()) {
      field = std::move(tensor).value();
    } else {
      status = tensor.status();
    }
  }
  // Subgraphs are imported by the graph importer before adapters run.
  void Read(const AttributeProto&, SubgraphId&) {}

  NodeImport* node_;
};

}  // namespace

Status NodeImport::FillFields(Op* op) {
  FieldReader reader(this);
  Visit([&](auto& o) { std::decay_t<decltype(o)>::Fields(o, reader); }, op);
  return reader.status;
}

Status NodeImport::CheckAllAttributesRead() const {
  for (const AttributeProto& a : proto_.attributes) {
    // Opset 1 marked in-place inputs; it never changed results.
    if (a.name == "consumed_inputs") continue;
    if (!read_.contains(a.name)) {
      return Unsupported("attribute '" + std::string(a.name) +
                         "' is not known in version " +
                         std::to_string(version_));
    }
  }
  return OkStatus();
}

Status NodeImport::EmitDefault(Op op) {
  STINT_RETURN_IF_ERROR(FillFields(&op));
  STINT_RETURN_IF_ERROR(CheckAllAttributesRead());
  EmitLast(std::move(op), inputs);
  return OkStatus();
}

}  // namespace stint::onnx

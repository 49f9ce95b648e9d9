#include "convert/onnx/graph_importer.h"

#include <algorithm>

#include "convert/onnx/adapters.h"
#include "convert/onnx/element_type.h"
#include "convert/onnx/schema_versions.h"

namespace stint::onnx {
namespace {

// Real exports have some ten thousand nodes.
constexpr int64_t kMaxNodes = 200000;

std::string Named(const NodeProto& node) {
  std::string_view name = node.name;
  if (name.empty() && !node.outputs.empty()) name = node.outputs[0];
  return std::string(name);
}

}  // namespace

Result<Opsets> ReadOpsets(
    const std::vector<std::pair<std::string_view, int64_t>>& imports) {
  Opsets opsets;
  for (const auto& [domain, version] : imports) {
    opsets[CanonicalDomain(domain)] = version;
  }
  if (opsets.empty()) opsets[""] = 1;
  const auto it = opsets.find("");
  if (it != opsets.end() && it->second > kNewestOpset) {
    return Unsupported("opset " + std::to_string(it->second) +
                       " is newer than " + std::to_string(kNewestOpset) +
                       ", the newest that is known");
  }
  return opsets;
}

Result<ValueType> GraphImporter::TypeFrom(const TypeProto& proto) {
  ValueType type;
  if (proto.kind == TypeProto::Kind::kOther) {
    return Unsupported("values that are maps or sparse tensors");
  }
  const auto dtype = DTypeFromOnnx(proto.elem_type);
  if (!dtype) return type;
  type = ValueType::Of(*dtype);
  if (proto.kind == TypeProto::Kind::kSequence) {
    type.kind = Value::Kind::kSequence;
    return type;
  }
  if (proto.kind == TypeProto::Kind::kOptional) {
    type.kind = Value::Kind::kOptional;
    type.optional_sequence = proto.optional_sequence;
    return type;
  }
  type.ranked = proto.has_shape;
  for (const Dimension& dim : proto.dims) {
    type.dims.push_back(dim.value >= 0 ? dim.value
                        : dim.param.empty() || dim.param == "?"
                            ? kUnknownDim
                            : graph_->Symbol(std::string(dim.param)));
  }
  return type;
}

Status GraphImporter::DeclareConstants(const GraphProto& proto) {
  for (const TensorProto& initializer : proto.initializers) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, shared_->tensors->Read(initializer));
    names_[initializer.name] =
        graph_->AddConstant(std::string(initializer.name), std::move(tensor));
  }
  for (const SparseTensorProto& initializer : proto.sparse_initializers) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor,
                           shared_->tensors->ReadSparse(initializer));
    names_[initializer.values.name] = graph_->AddConstant(
        std::string(initializer.values.name), std::move(tensor));
  }
  return OkStatus();
}

Status GraphImporter::DeclareInputs(const GraphProto& proto) {
  for (const ValueInfoProto& input : proto.inputs) {
    // Old files list every initializer as an input as well.
    if (names_.contains(input.name)) {
      const auto& value = graph_->value(names_[input.name]);
      if (value.constant) continue;
      return Damaged("input '" + std::string(input.name) + "' is given twice");
    }
    auto type = TypeFrom(input.type);
    if (!type.ok()) {
      return type.status().Annotate("input '" + std::string(input.name) + "'");
    }
    names_[input.name] =
        graph_->AddInput(std::string(input.name), std::move(type).value());
  }
  return OkStatus();
}

// Every output gets its value first, so nodes may come in any order.
Status GraphImporter::DeclareOutputs(const std::vector<NodeProto>& nodes,
                                     const GraphProto* typed) {
  std::map<std::string_view, const TypeProto*> types;
  if (typed != nullptr) {
    for (const auto& info : typed->value_infos) types[info.name] = &info.type;
    for (const auto& info : typed->outputs) types[info.name] = &info.type;
  }
  for (const NodeProto& node : nodes) {
    for (std::string_view output : node.outputs) {
      if (output.empty()) continue;
      if (bound_outputs_.erase(output) > 0) continue;
      if (names_.contains(output)) {
        return Damaged("value '" + std::string(output) + "' is produced twice");
      }
      ValueType type;
      if (const auto it = types.find(output); it != types.end()) {
        STINT_ASSIGN_OR_RETURN(type, TypeFrom(*it->second));
      }
      names_[output] = graph_->AddValue(std::string(output), std::move(type));
    }
  }
  return OkStatus();
}

Result<ValueId> GraphImporter::Lookup(std::string_view name) {
  if (const auto it = names_.find(name); it != names_.end()) return it->second;
  if (parent_ == nullptr) {
    return Damaged("value '" + std::string(name) + "' is produced by nothing");
  }
  STINT_ASSIGN_OR_RETURN(const ValueId outer, parent_->Lookup(name));
  if (parent_->graph_ == graph_) return outer;
  const GraphValue& value = parent_->graph_->value(outer);
  if (value.constant) {
    return names_[name] =
               graph_->AddConstant(std::string(name), *value.constant);
  }
  ValueType type = value.type;
  // Symbols belong to the graph that named them.
  for (int64_t& dim : type.dims) {
    if (dim <= kFirstSymbol) {
      dim = graph_->Symbol(parent_->graph_->symbols()[kFirstSymbol - dim]);
    }
  }
  captured_.push_back(outer);
  return names_[name] = graph_->AddInput(std::string(name), std::move(type));
}

Result<std::vector<ValueId>> GraphImporter::LookupAll(
    const std::vector<std::string_view>& names) {
  std::vector<ValueId> ids;
  for (std::string_view name : names) {
    if (name.empty()) {
      ids.push_back(kNoValue);
      continue;
    }
    STINT_ASSIGN_OR_RETURN(const ValueId id, Lookup(name));
    ids.push_back(id);
  }
  return ids;
}

Status GraphImporter::Import(const GraphProto& proto, const Opsets& opsets) {
  graph_->name = std::string(proto.name);
  graph_->doc = std::string(proto.doc_string);
  STINT_RETURN_IF_ERROR(DeclareConstants(proto));
  STINT_RETURN_IF_ERROR(DeclareInputs(proto));
  STINT_RETURN_IF_ERROR(DeclareOutputs(proto.nodes, &proto));
  STINT_RETURN_IF_ERROR(ImportNodes(proto.nodes, opsets));
  for (const ValueInfoProto& output : proto.outputs) {
    STINT_ASSIGN_OR_RETURN(const ValueId id, Lookup(output.name));
    graph_->MarkOutput(id);
  }
  return OkStatus();
}

Status GraphImporter::ImportNodes(const std::vector<NodeProto>& nodes,
                                  const Opsets& opsets) {
  for (const NodeProto& node : nodes) {
    if (++shared_->nodes_imported > kMaxNodes) {
      return ResourceExhausted("more than " + std::to_string(kMaxNodes) +
                               " nodes after expanding functions");
    }
    const size_t before = graph_->num_nodes();
    Status status = ImportNode(node, opsets);
    if (status.code() == StatusCode::kUnsupported) {
      shared_->unsupported[std::string(node.op_type) + ": " + status.message()]
          .push_back(Named(node));
      continue;
    }
    if (!status.ok()) {
      return status.Annotate("node '" + Named(node) + "' (" +
                             std::string(node.op_type) + ")");
    }
    for (size_t i = before; i < graph_->num_nodes(); ++i) {
      STINT_RETURN_IF_ERROR(InferNode(graph_, NodeId{static_cast<int32_t>(i)}));
    }
  }
  return OkStatus();
}

Status GraphImporter::ImportNode(const NodeProto& node, const Opsets& opsets) {
  const std::string_view domain = CanonicalDomain(node.domain);
  if (const auto it = shared_->functions.find({domain, node.op_type});
      it != shared_->functions.end()) {
    return ExpandFunction(node, *it->second);
  }
  if (!IsKnownOperator(domain, node.op_type) &&
      !(domain.empty() && node.op_type == "Constant")) {
    return Unsupported(domain.empty()
                           ? "operator is not supported"
                           : "operator of domain '" + std::string(domain) +
                                 "' is not supported");
  }
  const auto opset = opsets.find(domain);
  // Files often leave out contributed domains, which have one version.
  if (opset == opsets.end() && domain.empty()) {
    return Damaged("no opset is imported for domain ''");
  }
  return ImportOperator(node, opset == opsets.end() ? 1 : opset->second,
                        opsets);
}

Status GraphImporter::ImportOperator(const NodeProto& proto, int64_t opset,
                                     const Opsets& opsets) {
  const std::string_view domain = CanonicalDomain(proto.domain);
  int version = static_cast<int>(std::clamp<int64_t>(opset, 0, 1 << 20));
  if (domain != "com.microsoft") {
    version = SchemaVersion(domain, proto.op_type, version);
    if (version == 0 && FindAdapter(domain, proto.op_type, 0) == nullptr) {
      return Unsupported("operator is not defined in opset " +
                         std::to_string(opset));
    }
  }
  if (domain.empty() && proto.op_type == "Constant") {
    return ImportConstant(proto);
  }
  NodeImport node(proto, version, graph_, shared_->tensors);
  STINT_ASSIGN_OR_RETURN(node.inputs, LookupAll(proto.inputs));
  for (std::string_view output : proto.outputs) {
    node.outputs.push_back(output.empty() ? kNoValue : names_[output]);
  }
  if (node.outputs.empty()) return Damaged("has no outputs");
  const int required = RequiredInputs(domain, proto.op_type, version);
  for (int i = 0; i < required; ++i) {
    if (!node.in(static_cast<size_t>(i)).valid()) {
      return Damaged("input " + std::to_string(i) + " is missing");
    }
  }
  if (domain.empty() &&
      (proto.op_type == "If" || proto.op_type == "Loop" ||
       proto.op_type == "Scan" || proto.op_type == "SequenceMap")) {
    return ImportControlFlow(&node, opsets);
  }
  if (const AdapterRow* row = FindAdapter(domain, proto.op_type, version)) {
    return row->adapt(node);
  }
  const OpEntry* entry = domain.empty() ? FindOp(proto.op_type) : nullptr;
  if (entry == nullptr) {
    return Unsupported("version " + std::to_string(version) +
                       " is not supported");
  }
  return node.EmitDefault(entry->Make());
}

Status GraphImporter::ImportConstant(const NodeProto& proto) {
  if (proto.attributes.size() != 1 || proto.outputs.size() != 1) {
    return Damaged("a constant needs one attribute and one output");
  }
  if (proto.outputs[0].empty()) return OkStatus();
  const AttributeProto& a = proto.attributes[0];
  const ValueId output = names_[proto.outputs[0]];
  const auto finish = [&](Tensor tensor) {
    graph_->MakeConstant(output, std::move(tensor));
    return OkStatus();
  };
  if (a.name == "value" && a.t != nullptr) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, shared_->tensors->Read(*a.t));
    return finish(std::move(tensor));
  }
  if (a.name == "sparse_value" && a.sparse_tensor != nullptr) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor,
                           shared_->tensors->ReadSparse(*a.sparse_tensor));
    return finish(std::move(tensor));
  }
  if (a.name == "value_float") return finish(Tensor::Scalar(a.f));
  if (a.name == "value_int") return finish(Tensor::Scalar(a.i));
  if (a.name == "value_string") {
    return finish(Tensor::Scalar(std::string(a.s)));
  }
  if (a.name == "value_floats") return finish(Tensor::Vector(a.floats));
  if (a.name == "value_ints") return finish(Tensor::Vector(a.ints));
  if (a.name == "value_strings") {
    return finish(Tensor::Vector(
        std::vector<std::string>(a.strings.begin(), a.strings.end())));
  }
  return Damaged("attribute '" + std::string(a.name) + "' holds no value");
}

Result<SubgraphId> GraphImporter::ImportSubgraph(
    NodeImport* node, const char* attribute, const Opsets& opsets,
    std::vector<ValueId>* captured) {
  const AttributeProto* a = node->attribute(attribute);
  if (a == nullptr || a->g == nullptr) {
    return Damaged("attribute '" + std::string(attribute) + "' has no graph");
  }
  auto graph = std::make_unique<Graph>();
  GraphImporter importer(shared_, this, graph.get());
  STINT_RETURN_IF_ERROR(importer.Import(*a->g, opsets));
  STINT_RETURN_IF_ERROR(graph->SortNodes());
  captured->insert(captured->end(), importer.captured().begin(),
                   importer.captured().end());
  return graph_->AddSubgraph(std::move(graph));
}

Status GraphImporter::ImportControlFlow(NodeImport* node,
                                        const Opsets& opsets) {
  std::vector<ValueId> captured;
  Op op = FindOp(node->proto().op_type)->Make();
  if (node->proto().op_type == "If") {
    If branch;
    STINT_ASSIGN_OR_RETURN(
        branch.then_branch,
        ImportSubgraph(node, "then_branch", opsets, &captured));
    STINT_ASSIGN_OR_RETURN(
        branch.else_branch,
        ImportSubgraph(node, "else_branch", opsets, &captured));
    op = branch;
  } else {
    if (node->proto().op_type == "Scan" && node->version() < 9) {
      return Unsupported("version 8 with its batch dimension");
    }
    STINT_RETURN_IF_ERROR(node->FillFields(&op));
    STINT_ASSIGN_OR_RETURN(const SubgraphId body,
                           ImportSubgraph(node, "body", opsets, &captured));
    const int64_t count = static_cast<int64_t>(captured.size());
    if (Loop* loop = As<Loop>(&op)) {
      loop->body = body;
      loop->num_captured = count;
      while (node->inputs.size() < 2) node->inputs.push_back(kNoValue);
    } else if (SequenceMap* map = As<SequenceMap>(&op)) {
      map->body = body;
      map->num_captured = count;
    } else {
      As<Scan>(&op)->body = body;
      As<Scan>(&op)->num_captured = count;
    }
  }
  STINT_RETURN_IF_ERROR(node->CheckAllAttributesRead());
  node->inputs.insert(node->inputs.end(), captured.begin(), captured.end());
  node->EmitLast(std::move(op), node->inputs);
  return OkStatus();
}

}  // namespace stint::onnx

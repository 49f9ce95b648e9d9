#include "convert/onnx/export.h"

#include <algorithm>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>

#include "convert/onnx/element_type.h"
#include "convert/onnx/schema_versions.h"
#include "core/base/checked_math.h"

namespace stint {
namespace {

using protozero::pbf_writer;

// Understood by every runtime of the last years; operators that came later
// raise it for their file.
constexpr int kBaseOpset = 20;
// The first IR version for that opset.
constexpr int kIrVersion = 9;
// Protobuf messages end at 2 GiB.
constexpr int64_t kMaxBytes = (int64_t{1} << 31) - (1 << 20);

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

std::string PackElements(const Tensor& tensor, int per_byte) {
  const int bits = 8 / per_byte;
  const int mask = (1 << bits) - 1;
  std::string bytes(static_cast<size_t>(CeilDiv(tensor.size(), per_byte)), 0);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    bytes[i / per_byte] |= static_cast<char>((tensor.data<uint8_t>()[i] & mask)
                                             << (bits * (i % per_byte)));
  }
  return bytes;
}

void WriteTensor(pbf_writer message, const Tensor& tensor,
                 const std::string& name) {
  message.add_packed_int64(1, tensor.shape().begin(), tensor.shape().end());
  message.add_int32(2, DTypeToOnnx(tensor.dtype()));
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      message.add_bytes(6, tensor.data<std::string>()[i]);
    }
  }
  if (!name.empty()) message.add_string(8, name);
  if (tensor.dtype() == DType::kString) return;
  const int per_byte = ElementsPerByte(tensor.dtype());
  if (per_byte > 1) {
    message.add_bytes(9, PackElements(tensor, per_byte));
  } else {
    message.add_bytes(9, static_cast<const char*>(tensor.raw()),
                      tensor.bytes());
  }
}

// By value: nodes, or callers, read it.
std::vector<bool> FindRead(const Graph& graph) {
  std::vector<bool> read(graph.num_values(), false);
  for (ValueId id : graph.outputs()) read[id.index] = true;
  for (NodeId id : graph.order()) {
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) read[in.index] = true;
    }
  }
  return read;
}

// Of those that are written and are numbers.
int64_t BytesOfConstants(const Graph& graph) {
  const std::vector<bool> read = FindRead(graph);
  int64_t bytes = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (read[i] && constant && constant->dtype() != DType::kString) {
      bytes += CeilDiv(static_cast<int64_t>(constant->bytes()),
                       ElementsPerByte(constant->dtype()));
    }
  }
  return bytes;
}

class Exporter {
 public:
  explicit Exporter(const Graph& root) : root_(root) {}

  Result<std::string> Run() {
    // Weights are written once, into memory that never grows.
    const int64_t most = BytesOfConstants(root_);
    if (most > kMaxBytes) {
      return Unsupported("the model has " + std::to_string(most) +
                         " bytes, an ONNX file holds 2 GB");
    }
    std::string bytes;
    bytes.reserve(static_cast<size_t>(most + most / 64 + (1 << 20)));
    pbf_writer model(bytes);
    model.add_int64(1, kIrVersion);
    model.add_string(2, "stint");
    STINT_RETURN_IF_ERROR(WriteGraph(root_, {}, pbf_writer(model, 7)));
    if (static_cast<int64_t>(bytes.size()) > kMaxBytes) {
      return Unsupported("the model has " + std::to_string(bytes.size()) +
                         " bytes, an ONNX file holds 2 GB");
    }
    pbf_writer opset(model, 8);
    opset.add_string(1, "");
    opset.add_int64(2, opset_);
    opset.commit();
    return bytes;
  }

 private:
  using Names = std::map<ValueId, std::string>;

  // `bound` gives names to captured inputs of a subgraph.
  Status WriteGraph(const Graph& graph, Names bound, pbf_writer out);
  Status WriteNode(const Graph& graph, const Node& node, const Names& names,
                   pbf_writer* out);
  void WriteValueInfo(const Graph& graph, ValueId id, const Names& names,
                      pbf_writer message);
  void WriteTensorType(const Graph& graph, const ValueType& type,
                       pbf_writer message);
  static std::string Unique(const std::string& wanted,
                            std::set<std::string>* used);
  void RaiseOpset(std::string_view op_name);

  friend class AttributeWriter;
  const Graph& root_;
  std::set<std::string> value_names_;
  std::set<std::string> node_names_;
  int opset_ = kBaseOpset;
};

std::string Exporter::Unique(const std::string& wanted,
                             std::set<std::string>* used) {
  const std::string base = wanted.empty() ? "unnamed" : wanted;
  std::string name = base;
  for (int i = 1; !used->insert(name).second; ++i) {
    name = base + "_" + std::to_string(i);
  }
  return name;
}

// An operator that is younger than the base opset needs its first version.
void Exporter::RaiseOpset(std::string_view op_name) {
  int needed = opset_;
  while (needed <= kNewestOpset && SchemaVersion("", op_name, needed) == 0) {
    ++needed;
  }
  opset_ = std::max(opset_, std::min(needed, kNewestOpset));
}

// As files of the opsets that are written have it: parts of equal size are
// counted there.
Op ExportedOp(const Node& node, size_t inputs) {
  Op op = node.op;
  Split* split = As<Split>(&op);
  if (split != nullptr && inputs < 2 && split->num_outputs == 0) {
    split->num_outputs = std::ssize(node.outputs);
  }
  return op;
}

// Writes the fields of an op that differ from their defaults.
class AttributeWriter {
 public:
  AttributeWriter(const std::map<std::string, std::string>& graphs,
                  pbf_writer* node)
      : graphs_(graphs), node_(node) {}

  template <typename T>
  void Write(const char* name, const T& value) {
    pbf_writer a(*node_, 5);
    a.add_string(1, name);
    Put(a, name, value);
  }

 private:
  static void Type(pbf_writer& a, int type) { a.add_enum(20, type); }
  void Put(pbf_writer& a, const char*, int64_t value) {
    a.add_int64(3, value);
    Type(a, kInt);
  }
  void Put(pbf_writer& a, const char*, float value) {
    a.add_float(2, value);
    Type(a, kFloat);
  }
  void Put(pbf_writer& a, const char*, const std::string& value) {
    a.add_bytes(4, value);
    Type(a, kString);
  }
  void Put(pbf_writer& a, const char* name, DType value) {
    Put(a, name, static_cast<int64_t>(DTypeToOnnx(value)));
  }
  void Put(pbf_writer& a, const char*, const Tensor& value) {
    WriteTensor(pbf_writer(a, 5), value, "");
    Type(a, kTensor);
  }
  void Put(pbf_writer& a, const char* name, SubgraphId) {
    a.add_message(6, graphs_.at(name));
    Type(a, kGraph);
  }
  void Put(pbf_writer& a, const char*, const std::vector<int64_t>& values) {
    for (int64_t value : values) a.add_int64(8, value);
    Type(a, kInts);
  }
  void Put(pbf_writer& a, const char*, const std::vector<float>& values) {
    for (float value : values) a.add_float(7, value);
    Type(a, kFloats);
  }
  void Put(pbf_writer& a, const char*, const std::vector<std::string>& values) {
    for (const std::string& value : values) a.add_bytes(9, value);
    Type(a, kStrings);
  }

  const std::map<std::string, std::string>& graphs_;
  pbf_writer* node_;
};

template <typename T>
bool SameField(const T& a, const T& b) {
  return a == b;
}
bool SameField(const Tensor&, const Tensor&) { return false; }
bool SameField(const SubgraphId&, const SubgraphId&) { return false; }

// ONNX requires these even where they have our default.
bool IsRequired(std::string_view op, std::string_view field) {
  return (op == "Cast" && field == "to") || (op == "Concat") ||
         (op == "BitShift") || field == "num_groups" ||
         (op == "BitCast" && field == "to") ||
         (op == "DepthToSpace" && field == "blocksize") ||
         (op == "SpaceToDepth" && field == "blocksize") ||
         (op == "LRN" && field == "size") ||
         // A convolution may take it from its weights.
         (op != "Conv" && op != "ConvTranspose" && field == "kernel_shape") ||
         (op == "ConcatFromSequence" && field == "axis") ||
         (op == "TfIdfVectorizer" &&
          (field == "mode" || field.ends_with("_length") ||
           field == "max_skip_count" || field.starts_with("ngram_"))) ||
         (op.starts_with("Random") && field == "shape") ||
         // Left out, these would come from the input and the node's name.
         ((op.starts_with("Random") || op == "Bernoulli") &&
          field == "dtype") ||
         field == "seed" || field == "equation" || field == "num_scan_inputs";
}

// A reduction without the axes input, which needs opset 18, stays as it is.
void WriteFields(const Op& op, AttributeWriter* writer) {
  const std::string_view name = OpName(op);
  Visit(
      [&](const auto& o) {
        using T = std::decay_t<decltype(o)>;
        const T defaults{};
        // Both visits go through the fields in the same order.
        std::vector<const void*> reference;
        T::Fields(defaults, [&](const char*, const auto& field) {
          reference.push_back(&field);
        });
        size_t i = 0;
        T::Fields(o, [&](const char* field_name, const auto& field) {
          using F = std::decay_t<decltype(field)>;
          const F& fallback = *static_cast<const F*>(reference[i++]);
          if (IsRequired(name, field_name) || !SameField(field, fallback)) {
            writer->Write(field_name, field);
          }
        });
      },
      op);
}

Status Exporter::WriteNode(const Graph& graph, const Node& node,
                           const Names& names, pbf_writer* out) {
  if (IsFused(node.op)) {
    return Unsupported(Describe(node) +
                       " has no ONNX form: import the model with optimize off");
  }
  std::vector<ValueId> inputs = node.inputs;
  std::map<std::string, std::string> graphs;
  // A captured input of a body goes by the name of the value it captures.
  const auto body = [&](const char* field, SubgraphId id, size_t first,
                        size_t count) -> Status {
    const Graph& subgraph = graph.subgraph(id);
    Names bound;
    const size_t formal = subgraph.inputs().size() - count;
    for (size_t i = 0; i < count; ++i) {
      bound[subgraph.inputs()[formal + i]] = names.at(node.inputs[first + i]);
    }
    return WriteGraph(subgraph, std::move(bound), pbf_writer(graphs[field]));
  };
  if (const If* op = As<If>(node.op)) {
    const size_t split = graph.subgraph(op->then_branch).inputs().size();
    STINT_RETURN_IF_ERROR(body("then_branch", op->then_branch, 1, split));
    STINT_RETURN_IF_ERROR(body("else_branch", op->else_branch, 1 + split,
                               inputs.size() - 1 - split));
    inputs.resize(1);
  } else if (const Loop* loop = As<Loop>(node.op)) {
    const size_t count = static_cast<size_t>(loop->num_captured);
    STINT_RETURN_IF_ERROR(
        body("body", loop->body, inputs.size() - count, count));
    inputs.resize(inputs.size() - count);
  } else if (const Scan* scan = As<Scan>(node.op)) {
    const size_t count = static_cast<size_t>(scan->num_captured);
    STINT_RETURN_IF_ERROR(
        body("body", scan->body, inputs.size() - count, count));
    inputs.resize(inputs.size() - count);
  } else if (const SequenceMap* map = As<SequenceMap>(node.op)) {
    const size_t count = static_cast<size_t>(map->num_captured);
    STINT_RETURN_IF_ERROR(
        body("body", map->body, inputs.size() - count, count));
    inputs.resize(inputs.size() - count);
  }
  while (!inputs.empty() && !inputs.back().valid()) inputs.pop_back();
  pbf_writer message(*out, 1);
  for (ValueId id : inputs) {
    message.add_string(1, id.valid() ? names.at(id) : "");
  }
  for (ValueId id : node.outputs) {
    message.add_string(2, id.valid() ? names.at(id) : "");
  }
  message.add_string(3, Unique(node.name, &node_names_));
  message.add_string(4, std::string(OpName(node.op)));
  AttributeWriter writer(graphs, &message);
  WriteFields(ExportedOp(node, inputs.size()), &writer);
  RaiseOpset(OpName(node.op));
  return OkStatus();
}

void Exporter::WriteTensorType(const Graph& graph, const ValueType& type,
                               pbf_writer message) {
  message.add_int32(1, DTypeToOnnx(type.dtype));
  if (!type.ranked) return;
  // Messages of their own, since a nested writer drops what stays empty: a
  // dimension of which nothing is known, and the shape of a scalar.
  std::string shape;
  for (int64_t dim : type.dims) {
    std::string bytes;
    pbf_writer d(bytes);
    if (IsKnown(dim)) {
      d.add_int64(1, dim);
    } else if (dim <= kFirstSymbol) {
      d.add_string(2, graph.symbols()[static_cast<size_t>(kFirstSymbol - dim)]);
    }
    pbf_writer(shape).add_message(1, bytes);
  }
  message.add_message(2, shape);
}

void Exporter::WriteValueInfo(const Graph& graph, ValueId id,
                              const Names& names, pbf_writer message) {
  const ValueType& type = graph.value(id).type;
  message.add_string(1, names.at(id));
  if (!type.typed) return;
  pbf_writer t(message, 2);
  switch (type.kind) {
    case Value::Kind::kTensor:
      WriteTensorType(graph, type, pbf_writer(t, 1));
      break;
    case Value::Kind::kSequence: {
      pbf_writer sequence(t, 4);
      pbf_writer element(sequence, 1);
      WriteTensorType(graph, type, pbf_writer(element, 1));
      break;
    }
    case Value::Kind::kOptional: {
      pbf_writer optional(t, 9);
      pbf_writer element(optional, 1);
      if (type.optional_sequence) {
        pbf_writer sequence(element, 4);
        pbf_writer inner(sequence, 1);
        WriteTensorType(graph, type, pbf_writer(inner, 1));
      } else {
        WriteTensorType(graph, type, pbf_writer(element, 1));
      }
      break;
    }
  }
}

Status Exporter::WriteGraph(const Graph& graph, Names names, pbf_writer out) {
  const Names captured = names;
  const auto give_name = [&](ValueId id) {
    if (!names.contains(id)) {
      names[id] = Unique(graph.value(id).name, &value_names_);
    }
  };
  // Inputs and outputs first: callers know them by their names.
  for (ValueId id : graph.inputs()) give_name(id);
  for (ValueId id : graph.outputs()) give_name(id);
  for (size_t i = 0; i < graph.num_values(); ++i) {
    give_name(ValueId{static_cast<int32_t>(i)});
  }
  for (NodeId id : graph.order()) {
    STINT_RETURN_IF_ERROR(WriteNode(graph, graph.node(id), names, &out));
  }
  out.add_string(2, graph.name.empty() ? "graph" : graph.name);
  const std::vector<bool> read = FindRead(graph);
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const ValueId id{static_cast<int32_t>(i)};
    const GraphValue& value = graph.value(id);
    if (!value.constant || !read[i]) continue;
    WriteTensor(pbf_writer(out, 5), *value.constant, names.at(id));
  }
  for (ValueId id : graph.inputs()) {
    if (!captured.contains(id)) {
      WriteValueInfo(graph, id, names, pbf_writer(out, 11));
    }
  }
  for (ValueId id : graph.outputs()) {
    WriteValueInfo(graph, id, names, pbf_writer(out, 12));
  }
  return OkStatus();
}

}  // namespace

Result<std::string> ExportOnnxBytes(const Graph& graph) {
  return Exporter(graph).Run();
}

}  // namespace stint

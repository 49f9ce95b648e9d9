#pragma once
// ONNX bytes for tests, written field by field.

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

namespace stint::onnx {

// The bytes of one message. Field numbers are those of onnx.proto.
class Message {
 public:
  Message& Int(uint32_t field, int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(field, value);
    return *this;
  }
  Message& Text(uint32_t field, const std::string& value) {
    protozero::pbf_writer(bytes_).add_string(field, value);
    return *this;
  }
  Message& Sub(uint32_t field, const Message& message) {
    return Text(field, message.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline constexpr int kFloatType = 1;
inline constexpr int kInt64Type = 7;

// AttributeProto: name = 1, i = 3, s = 4, t = 5, g = 6, ints = 8, type = 20.
inline Message IntAttribute(const std::string& name, int64_t value) {
  return Message().Text(1, name).Int(3, value).Int(20, 2);
}
inline Message IntsAttribute(const std::string& name,
                             const std::vector<int64_t>& values) {
  Message attribute;
  attribute.Text(1, name).Int(20, 7);
  for (int64_t value : values) attribute.Int(8, value);
  return attribute;
}
inline Message GraphAttribute(const std::string& name, const Message& graph) {
  return Message().Text(1, name).Sub(6, graph).Int(20, 5);
}

// NodeProto: input = 1, output = 2, name = 3, op_type = 4, attribute = 5,
// domain = 7.
inline Message Node(const std::string& op,
                    const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs,
                    const std::vector<Message>& attributes = {},
                    const std::string& domain = "") {
  Message node;
  for (const std::string& input : inputs) node.Text(1, input);
  for (const std::string& output : outputs) node.Text(2, output);
  node.Text(3, op + "_node").Text(4, op);
  for (const Message& attribute : attributes) node.Sub(5, attribute);
  if (!domain.empty()) node.Text(7, domain);
  return node;
}

// ValueInfoProto of a tensor.
inline Message TensorInfo(const std::string& name, int type,
                          const std::vector<int64_t>& dims) {
  Message shape;
  for (int64_t dim : dims) shape.Sub(1, Message().Int(1, dim));
  return Message().Text(1, name).Sub(
      2, Message().Sub(1, Message().Int(1, type).Sub(2, shape)));
}

// TensorProto: dims = 1, data_type = 2, name = 8, raw_data = 9.
inline Message RawTensor(const std::string& name, int type,
                         const std::vector<int64_t>& dims,
                         const std::string& raw) {
  Message tensor;
  for (int64_t dim : dims) tensor.Int(1, dim);
  return tensor.Int(2, type).Text(8, name).Text(9, raw);
}
inline Message Int64Tensor(const std::string& name,
                           const std::vector<int64_t>& values) {
  return RawTensor(name, kInt64Type, {static_cast<int64_t>(values.size())},
                   std::string(reinterpret_cast<const char*>(values.data()),
                               values.size() * sizeof(int64_t)));
}
// external_data = 13, data_location = 14.
inline Message ExternalTensor(const std::string& name,
                              const std::string& location) {
  return Message()
      .Int(1, 2)
      .Int(2, kFloatType)
      .Text(8, name)
      .Sub(13, Message().Text(1, "location").Text(2, location))
      .Int(14, 1);
}

// GraphProto: node = 1, name = 2, initializer = 5, input = 11, output = 12.
struct GraphFields {
  std::vector<Message> nodes = {};
  std::vector<Message> initializers = {};
  std::vector<Message> inputs = {};
  std::vector<Message> outputs = {};
};
inline Message GraphMessage(const GraphFields& fields) {
  Message graph;
  for (const Message& node : fields.nodes) graph.Sub(1, node);
  graph.Text(2, "test");
  for (const Message& tensor : fields.initializers) graph.Sub(5, tensor);
  for (const Message& input : fields.inputs) graph.Sub(11, input);
  for (const Message& output : fields.outputs) graph.Sub(12, output);
  return graph;
}

inline Message OpsetImport(const std::string& domain, int64_t version) {
  return Message().Text(1, domain).Int(2, version);
}

// FunctionProto: name = 1, input = 4, output = 5, node = 7, opset_import = 9,
// domain = 10.
inline Message Function(const std::string& name,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::vector<Message>& nodes) {
  Message function;
  function.Text(1, name);
  for (const std::string& input : inputs) function.Text(4, input);
  for (const std::string& output : outputs) function.Text(5, output);
  for (const Message& node : nodes) function.Sub(7, node);
  return function.Sub(9, OpsetImport("", 17))
      .Sub(9, OpsetImport("local", 1))
      .Text(10, "local");
}

// ModelProto: ir_version = 1, graph = 7, opset_import = 8, functions = 25.
inline std::string ModelBytes(const GraphFields& graph,
                              const std::vector<Message>& functions = {},
                              int64_t opset = 17) {
  Message model;
  model.Int(1, 8).Sub(7, GraphMessage(graph)).Sub(8, OpsetImport("", opset));
  for (const Message& function : functions) model.Sub(25, function);
  return model.bytes();
}

}  // namespace stint::onnx

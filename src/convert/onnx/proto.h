#pragma once
// The messages of an ONNX file, read from the protobuf wire format. Strings and
// raw tensor data are views into the file's bytes, which must outlive them.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stint/status.h"

namespace stint::onnx {

struct TensorProto {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t data_type = 0;
  std::optional<std::string_view> raw_data;
  std::vector<float> float_data;
  std::vector<int32_t> int32_data;
  std::vector<int64_t> int64_data;
  std::vector<double> double_data;
  std::vector<uint64_t> uint64_data;
  std::vector<std::string_view> string_data;
  std::vector<std::pair<std::string_view, std::string_view>> external_data;
  bool is_external = false;
};

struct SparseTensorProto {
  TensorProto values;
  TensorProto indices;
  std::vector<int64_t> dims;
};

struct Dimension {
  int64_t value = -1;      // -1: not a number
  std::string_view param;  // empty: unknown
};

// A tensor, a sequence of tensors or an optional of either.
struct TypeProto {
  enum class Kind { kUnknown, kTensor, kSequence, kOptional, kOther };
  Kind kind = Kind::kUnknown;
  bool optional_sequence = false;
  int32_t elem_type = 0;
  bool has_shape = false;
  std::vector<Dimension> dims;
};

struct ValueInfoProto {
  std::string_view name;
  TypeProto type;
};

struct GraphProto;

struct AttributeProto {
  std::string_view name;
  std::string_view ref_attr_name;  // of the enclosing function's call
  int32_t type = 0;                // 0 in old files
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::shared_ptr<TensorProto> t;
  std::shared_ptr<SparseTensorProto> sparse_tensor;
  std::shared_ptr<GraphProto> g;
  std::shared_ptr<TypeProto> tp;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
};

struct NodeProto {
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::vector<AttributeProto> attributes;
};

struct GraphProto {
  std::string_view name;
  std::string_view doc_string;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<SparseTensorProto> sparse_initializers;
  std::vector<ValueInfoProto> inputs;
  std::vector<ValueInfoProto> outputs;
  std::vector<ValueInfoProto> value_infos;
};

struct FunctionProto {
  std::string_view name;
  std::string_view domain;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;
  std::vector<AttributeProto> attribute_defaults;
  std::vector<NodeProto> nodes;
  std::vector<std::pair<std::string_view, int64_t>> opset_imports;
};

struct ModelProto {
  int64_t ir_version = 0;
  std::string_view producer;
  std::vector<std::pair<std::string_view, int64_t>> opset_imports;
  GraphProto graph;
  bool has_graph = false;
  std::vector<FunctionProto> functions;
};

Result<ModelProto> ParseModel(std::string_view bytes);
Result<TensorProto> ParseTensor(std::string_view bytes);

// The value of a test case, a SequenceProto or an OptionalProto: both number
// their fields alike. Elements are tensors or sequences.
struct ValueProto {
  std::optional<TensorProto> tensor;
  std::vector<ValueProto> elements;
};
Result<ValueProto> ParseValue(std::string_view bytes);

}  // namespace stint::onnx

#pragma once
// One ONNX node on its way into the graph: what an adapter reads and writes.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "convert/onnx/proto.h"
#include "convert/onnx/tensor_reader.h"
#include "model/graph/graph.h"

namespace stint::onnx {

class NodeImport {
 public:
  NodeImport(const NodeProto& proto, int version, Graph* graph,
             TensorReader* tensors)
      : proto_(proto), version_(version), graph_(graph), tensors_(tensors) {}

  const NodeProto& proto() const { return proto_; }
  // The version of the operator's definition (SchemaVersion).
  int version() const { return version_; }
  Graph* graph() { return graph_; }

  // kNoValue where left out. Trailing absent inputs may be missing entirely.
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  ValueId in(size_t i) const {
    return i < inputs.size() ? inputs[i] : kNoValue;
  }

  // The first `count` inputs are present; else an error.
  Status RequireInputs(size_t count) const;
  // Somebody reads the output.
  bool Wants(size_t output) const {
    return output < outputs.size() && outputs[output].valid();
  }

  // An attribute, or null. Reading one marks it as understood.
  const AttributeProto* attribute(std::string_view name);
  int64_t Int(std::string_view name, int64_t fallback);
  float Float(std::string_view name, float fallback);
  std::string String(std::string_view name, std::string fallback);
  std::vector<int64_t> Ints(std::string_view name);
  std::vector<float> Floats(std::string_view name);
  bool Has(std::string_view name) { return attribute(name) != nullptr; }
  Result<Tensor> TensorOf(const AttributeProto& attribute);

  // Contents of a constant input; null when it is not one.
  const Tensor* ConstantInput(size_t i) const;

  ValueId Constant(Tensor tensor);
  ValueId ConstantInts(const std::vector<int64_t>& values) {
    return Constant(Tensor::Vector<int64_t>(values));
  }
  // Puts a constant at input i, padding with absent inputs.
  void SetInput(size_t i, ValueId value);

  // A node with one new output.
  ValueId Emit(Op op, std::vector<ValueId> node_inputs);
  // The node that produces the ONNX node's own outputs.
  void EmitLast(Op op, std::vector<ValueId> node_inputs);
  // The output takes the value of `value`.
  void Forward(ValueId value, size_t output = 0);

  // Reads the op's fields from attributes of the same name, then emits it with
  // the present inputs. Attributes that no field or adapter reads are an error.
  Status EmitDefault(Op op);
  Status FillFields(Op* op);
  Status CheckAllAttributesRead() const;

 private:
  std::string NextName();

  const NodeProto& proto_;
  int version_;
  Graph* graph_;
  TensorReader* tensors_;
  std::set<std::string_view> read_;
  int emitted_ = 0;
};

// Turns one version range of one ONNX operator into nodes of ours.
using Adapter = Status (*)(NodeImport& node);

}  // namespace stint::onnx

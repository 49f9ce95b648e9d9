#pragma once
// Builds one graph from a GraphProto, nested graphs and function bodies
// included.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "convert/onnx/node_import.h"
#include "convert/onnx/proto.h"
#include "model/graph/graph.h"

namespace stint::onnx {

// Opset versions by domain.
using Opsets = std::map<std::string_view, int64_t>;
Result<Opsets> ReadOpsets(
    const std::vector<std::pair<std::string_view, int64_t>>& imports);

// What all graphs of one model share while it is imported.
struct ModelImport {
  const ModelProto* model = nullptr;
  TensorReader* tensors = nullptr;

  // Local functions by domain and name.
  std::map<std::pair<std::string_view, std::string_view>, const FunctionProto*>
      functions;
  // Operators that stint does not have: reason -> names of nodes.
  std::map<std::string, std::vector<std::string>> unsupported;
  // Function calls being expanded, to refuse recursion.
  std::vector<const FunctionProto*> expanding;
  // Bodies that expand over and over grow without bound in a hostile file.
  int64_t nodes_imported = 0;
};

class GraphImporter {
 public:
  // `parent` (may be null) is where names that are not local are looked up.
  GraphImporter(ModelImport* shared, GraphImporter* parent, Graph* graph)
      : shared_(shared), parent_(parent), graph_(graph) {}

  Status Import(const GraphProto& proto, const Opsets& opsets);

  // Values of the parent's graph that became extra inputs, in order.
  const std::vector<ValueId>& captured() const { return captured_; }

 private:
  Status DeclareConstants(const GraphProto& proto);
  Status DeclareInputs(const GraphProto& proto);
  Status DeclareOutputs(const std::vector<NodeProto>& nodes,
                        const GraphProto* typed);
  Status ImportNodes(const std::vector<NodeProto>& nodes, const Opsets& opsets);
  Status ImportNode(const NodeProto& node, const Opsets& opsets);
  Status ImportOperator(const NodeProto& node, int64_t opset,
                        const Opsets& opsets);
  Status ImportConstant(const NodeProto& node);
  Status ImportControlFlow(NodeImport* node, const Opsets& opsets);
  Result<SubgraphId> ImportSubgraph(NodeImport* node, const char* attribute,
                                    const Opsets& opsets,
                                    std::vector<ValueId>* captured);
  Status ExpandFunction(const NodeProto& call, const FunctionProto& function);
  Result<ValueId> Lookup(std::string_view name);
  Result<std::vector<ValueId>> LookupAll(
      const std::vector<std::string_view>& names);
  Result<ValueType> TypeFrom(const TypeProto& proto);

  ModelImport* shared_;
  GraphImporter* parent_;
  Graph* graph_;
  std::map<std::string_view, ValueId> names_;
  std::vector<ValueId> captured_;
  // Outputs of a function's body that are values of its caller.
  std::set<std::string_view> bound_outputs_;
};

}  // namespace stint::onnx

// Inlines calls of a model's local functions.

#include <algorithm>

#include "convert/onnx/graph_importer.h"

namespace stint::onnx {
namespace {

// Deeper than any exporter nests its functions; keeps the stack small.
constexpr size_t kMaxCallDepth = 128;

using Arguments = std::map<std::string_view, const AttributeProto*>;

void BindNodes(const Arguments& arguments, std::vector<NodeProto>* nodes);

// Replaces references to the function's attributes; a reference to one that
// the call leaves out drops the attribute.
void BindAttributes(const Arguments& arguments, NodeProto* node) {
  std::erase_if(node->attributes, [&](AttributeProto& a) {
    if (!a.ref_attr_name.empty()) {
      const auto it = arguments.find(a.ref_attr_name);
      if (it == arguments.end()) return true;
      const std::string_view name = a.name;
      a = *it->second;
      a.name = name;
      return false;
    }
    if (a.g != nullptr) {
      a.g = std::make_shared<GraphProto>(*a.g);
      BindNodes(arguments, &a.g->nodes);
    }
    return false;
  });
}

void BindNodes(const Arguments& arguments, std::vector<NodeProto>* nodes) {
  for (NodeProto& node : *nodes) BindAttributes(arguments, &node);
}

}  // namespace

Status GraphImporter::ExpandFunction(const NodeProto& call,
                                     const FunctionProto& function) {
  auto& stack = shared_->expanding;
  if (std::find(stack.begin(), stack.end(), &function) != stack.end()) {
    return Damaged("function '" + std::string(function.name) +
                   "' calls itself");
  }
  if (stack.size() >= kMaxCallDepth) {
    return Damaged("functions call each other more than " +
                   std::to_string(kMaxCallDepth) + " deep");
  }
  Arguments arguments;
  for (const AttributeProto& a : function.attribute_defaults) {
    arguments[a.name] = &a;
  }
  for (const AttributeProto& a : call.attributes) arguments[a.name] = &a;
  std::vector<NodeProto> body = function.nodes;
  BindNodes(arguments, &body);

  STINT_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs,
                         LookupAll(call.inputs));
  STINT_ASSIGN_OR_RETURN(const Opsets opsets,
                         ReadOpsets(function.opset_imports));
  GraphImporter importer(shared_, nullptr, graph_);
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    importer.names_[function.inputs[i]] =
        i < inputs.size() ? inputs[i] : kNoValue;
  }
  for (size_t i = 0; i < function.outputs.size(); ++i) {
    if (i >= call.outputs.size() || call.outputs[i].empty()) continue;
    const auto it = importer.names_.find(function.outputs[i]);
    if (it != importer.names_.end() && it->second.valid()) {
      // The function passes an input on.
      graph_->AddNode(std::string(call.name), Unary{UnaryKind::kIdentity},
                      {it->second}, {names_[call.outputs[i]]});
    } else if (it == importer.names_.end()) {
      importer.names_[function.outputs[i]] = names_[call.outputs[i]];
      importer.bound_outputs_.insert(function.outputs[i]);
    }
  }
  stack.push_back(&function);
  Status status = importer.DeclareOutputs(body, nullptr);
  if (status.ok()) status = importer.ImportNodes(body, opsets);
  stack.pop_back();
  return status.ok()
             ? status
             : status.Annotate("function '" + std::string(function.name) + "'");
}

}  // namespace stint::onnx

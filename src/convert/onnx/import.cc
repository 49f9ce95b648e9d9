#include "convert/onnx/import.h"

#include "convert/onnx/graph_importer.h"
#include "convert/onnx/schema_versions.h"

namespace stint {
namespace {

// One line per reason: "Foo: operator is not supported (3 nodes: a, b, c)".
Status UnsupportedReport(const onnx::ModelImport& import) {
  std::string text;
  for (const auto& [reason, nodes] : import.unsupported) {
    if (!text.empty()) text += "; ";
    text += reason + " (" + std::to_string(nodes.size()) +
            (nodes.size() == 1 ? " node: " : " nodes: ");
    constexpr size_t kShown = 5;
    for (size_t i = 0; i < nodes.size() && i < kShown; ++i) {
      text += (i > 0 ? ", '" : "'") + nodes[i] + "'";
    }
    text += nodes.size() > kShown ? ", ...)" : ")";
  }
  return Unsupported(text);
}

}  // namespace

Result<std::unique_ptr<Graph>> ImportOnnxBytes(
    std::string_view bytes, const std::string& folder,
    std::shared_ptr<const MappedFile> owner) {
  STINT_ASSIGN_OR_RETURN(const onnx::ModelProto model, onnx::ParseModel(bytes));
  if (!model.has_graph) {
    return Damaged("holds no graph; expected an ONNX model");
  }
  STINT_ASSIGN_OR_RETURN(const onnx::Opsets opsets,
                         onnx::ReadOpsets(model.opset_imports));
  onnx::TensorReader tensors(folder, std::move(owner));
  onnx::ModelImport shared;
  shared.model = &model;
  shared.tensors = &tensors;
  for (const onnx::FunctionProto& function : model.functions) {
    shared.functions.emplace(
        std::pair(CanonicalDomain(function.domain), function.name), &function);
  }
  auto graph = std::make_unique<Graph>();
  onnx::GraphImporter importer(&shared, nullptr, graph.get());
  const Status status = importer.Import(model.graph, opsets);
  if (!shared.unsupported.empty()) return UnsupportedReport(shared);
  STINT_RETURN_IF_ERROR(status);
  STINT_RETURN_IF_ERROR(graph->SortNodes());
  STINT_RETURN_IF_ERROR(InferGraph(graph.get()));
  const Status verified = VerifyGraph(*graph);
  if (!verified.ok()) return Damaged(verified.message());
  return graph;
}

Result<std::unique_ptr<Graph>> ImportOnnx(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(auto file, MappedFile::Open(path));
  auto graph =
      ImportOnnxBytes({reinterpret_cast<const char*>(file->bytes().data()),
                       file->bytes().size()},
                      DirectoryOf(path), file);
  if (!graph.ok()) return graph.status().Annotate(path);
  return graph;
}

}  // namespace stint

#include "convert/huggingface/open_folder.h"
#include "convert/onnx/export.h"
#include "convert/onnx/open_file.h"
#include "core/platform/file.h"
#include "stint/convert.h"

namespace stint {

Result<Model> ImportModel(const std::string& path,
                          const ImportOptions& options) {
  if (DirectoryExists(path)) {
    STINT_ASSIGN_OR_RETURN(Package package, OpenHuggingFaceFolder(path));
    return Model(std::make_shared<const Package>(std::move(package)));
  }
  STINT_ASSIGN_OR_RETURN(
      Package package,
      OpenOnnxFile(path, options.tokenizer_folder, options.pooling));
  return Model(std::make_shared<const Package>(std::move(package)));
}

Result<ExportReport> ExportOnnx(const Model& model, const std::string& path) {
  const Graph& graph = *model.package()->graph;
  STINT_ASSIGN_OR_RETURN(const std::string bytes, ExportOnnxBytes(graph));
  STINT_RETURN_IF_ERROR(WriteFileAtomically(path, bytes));
  return ExportReport{static_cast<int64_t>(bytes.size()),
                      static_cast<int64_t>(graph.order().size())};
}

}  // namespace stint

#include "api/convert/open_package.h"
#include "convert/huggingface/open_folder.h"
#include "convert/onnx/open_file.h"
#include "convert/onnx/write_file.h"
#include "convert/passes/pipeline.h"
#include "core/platform/file.h"
#include "stint/convert.h"
#include "weights/store/package_file.h"

namespace stint {

Result<Package> OpenPackage(const std::string& path,
                            const ImportOptions& options) {
  if (IsPackageFile(path)) return ReadPackage(path);
  if (DirectoryExists(path)) return OpenHuggingFaceFolder(path);
  return OpenOnnxFile(path, options.tokenizer_folder, options.pooling);
}

Result<Model> ImportModel(const std::string& path,
                          const ImportOptions& options) {
  if (IsPackageFile(path)) return Model::Open(path);
  auto package = OpenPackage(path, options);
  if (!package.ok()) return package.status();
  if (options.optimize) {
    PassOptions passes;
    passes.disabled = options.disabled_passes;
    const auto reports = RunPasses(package->graph.get(), passes);
    if (!reports.ok()) return reports.status().Annotate(path);
  }
  return Model(std::make_shared<Package>(std::move(package).value()));
}

Result<ExportReport> ExportOnnx(const Model& model, const std::string& path) {
  const Graph& graph = *model.package()->graph;
  STINT_ASSIGN_OR_RETURN(const int64_t bytes, WriteOnnxFile(graph, path));
  return ExportReport{bytes, static_cast<int64_t>(graph.order().size())};
}

}  // namespace stint

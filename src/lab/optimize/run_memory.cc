#include "lab/optimize/run_memory.h"

#include "convert/data/npy.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/record/model_record.h"
#include "lab/study/run_program.h"
#include "stint/compress.h"
#include "weights/package/package.h"

namespace stint {
namespace {

Result<int64_t> PeakOf(const ProgramAnswer& answer) {
  if (!answer.exit.ok()) {
    return InternalError("the memory of a run could not be measured: " +
                         answer.Reason());
  }
  STINT_ASSIGN_OR_RETURN(const auto record,
                         ParseRecord<RunRecord>(answer.line));
  return record.peak_rss_bytes;
}

}  // namespace

Status WriteModel(const Model& model, const std::string& path) {
  if (!path.ends_with(".stint")) return ExportOnnx(model, path).status();
  STINT_ASSIGN_OR_RETURN(const Model fused, OptimizeModel(model));
  PackOptions pack;
  pack.bits = 32;
  return PackModel(fused, path, pack).status();
}

Result<int64_t> PeakMemoryOf(const Model& model, const std::string& precision,
                             const std::vector<Value>& row,
                             const MemoryProbe& probe) {
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  const std::string file =
      JoinPath(folder.path(), probe.package ? "model.stint" : "model.onnx");
  STINT_RETURN_IF_ERROR(WriteModel(model, file));
  std::vector<std::string> command = {
      probe.stint_executable, "run",    file, "--format", "json",
      "--precision",          precision};
  const auto& inputs = model.inputs();
  for (size_t i = 0; i < row.size(); ++i) {
    const std::string data =
        JoinPath(folder.path(), "input" + std::to_string(i) + ".npy");
    STINT_RETURN_IF_ERROR(WriteNpy(data, row[i].tensor()));
    command.insert(command.end(), {"--input", inputs[i].name + "=" + data});
  }
  command.insert(command.end(), probe.options.begin(), probe.options.end());
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram(command, probe.timeout_seconds));
  return PeakOf(answer);
}

}  // namespace stint

#include "lab/stack/stack_commands.h"

#include <sstream>

#include "lab/stack/file_identity.h"
#include "lab/stack/stack_compute.h"
#include "lab/stack/tuned_schedules.h"
#include "stint/compress.h"

namespace stint {
namespace {

using Words = std::vector<std::string>;

void Append(const Words& more, Words* words) {
  words->insert(words->end(), more.begin(), more.end());
}

// What decides by which kernels the point runs.
Result<Words> RunWords(const Point& point) {
  Words words;
  const std::string compute = ValueOf(point.condition, "compute");
  const std::string primitive = ValueOf(point.treatment, "primitive");
  if (primitive != "auto") Append({"--primitive", primitive}, &words);
  Append({"--schedule", ValueOf(point.treatment, "code")}, &words);
  if (IsBf16(ValueOf(point.treatment, "compression"))) {
    Append({"--precision", "bf16"}, &words);
  }
  STINT_ASSIGN_OR_RETURN(const Words where, StackComputeOptions(compute));
  Append(where, &words);
  return words;
}

}  // namespace

const std::vector<std::string>& PreprocessingOf(
    const StackStudyOptions& options, const std::string& model) {
  const auto own = options.preprocessing_of.find(ContentOf(model));
  return own == options.preprocessing_of.end() ? options.preprocessing
                                               : own->second;
}

std::vector<std::string> StackProgram(const StackStudyOptions& options,
                                      const Point& point,
                                      const std::string& file) {
  const std::string compute = ValueOf(point.condition, "compute");
  if (KindOf(compute) == ComputeKind::kEmulated) return options.emulated_stint;
  const std::string folder = ScheduleFolder(point, file);
  if (folder.empty()) return {options.stint_executable};
  return {"env", "XDG_CACHE_HOME=" + folder, options.stint_executable};
}

Result<std::vector<std::string>> CompressOptionsOf(
    const std::string& compression) {
  Words words;
  if (compression == "none") return Words{"--prune", "layer:0%"};
  std::istringstream parts(compression);
  CompressOptions options;
  for (std::string part; std::getline(parts, part, '+');) {
    const bool prune = part.find("%") != std::string::npos ||
                       ParsePruning(part, &options).ok();
    STINT_RETURN_IF_ERROR(prune ? ParsePruning(part, &options)
                                : ParseQuantization(part, &options));
    // A point's file is for computes of other kinds, too, and must not depend
    // on what this machine took at that moment.
    const bool measures = !prune && options.quantize == QuantizeKind::kInt8 &&
                          options.integer_layers == IntegerLayers::kMeasured;
    Append({prune ? "--prune" : "--quantize", measures ? part + ":rule" : part},
           &words);
  }
  return words;
}

bool IsBf16(const std::string& compression) {
  return compression == "bf16" || compression.ends_with("+bf16");
}

Result<std::vector<std::string>> StackCompressCommand(
    const StackStudyOptions& options, const std::string& model,
    const std::string& compression, const std::string& file) {
  Words command = {options.stint_executable,
                   "compress",
                   FileOfModel(options, model),
                   "-o",
                   file,
                   "--format",
                   "json"};
  STINT_ASSIGN_OR_RETURN(const Words what, CompressOptionsOf(compression));
  Append(what, &command);
  if (!options.calibration.empty()) {
    Append({"--calibrate", options.calibration, "--calibrate-rows",
            std::to_string(options.calibration_rows), "--task", options.task},
           &command);
  }
  Append(PreprocessingOf(options, model), &command);
  return command;
}

Result<std::vector<std::string>> StackEvalCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file) {
  Words command = StackProgram(options, point, file);
  Append({"eval", file, "--task", options.task, "--data", options.data,
          "--format", "json", "--right"},
         &command);
  if (options.rows > 0) {
    Append({"--rows", std::to_string(options.rows)}, &command);
  }
  Append(PreprocessingOf(options, ValueOf(point.condition, "model")), &command);
  STINT_ASSIGN_OR_RETURN(const Words run, RunWords(point));
  Append(run, &command);
  return command;
}

Result<std::vector<std::string>> StackInspectCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file) {
  Words command = StackProgram(options, point, file);
  Append({"inspect", file, "--kernels", "--format", "json"}, &command);
  STINT_ASSIGN_OR_RETURN(const Words run, RunWords(point));
  Append(run, &command);
  return command;
}

Result<std::vector<std::string>> StackTuneCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file) {
  Words command = StackProgram(options, point, file);
  Append({"tune", file, "--budget", options.tune_budget, "--format", "json"},
         &command);
  STINT_ASSIGN_OR_RETURN(const Words compute, StackComputeOptions(ValueOf(
                                                  point.condition, "compute")));
  Append(compute, &command);
  return command;
}

}  // namespace stint

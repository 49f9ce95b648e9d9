#include "lab/stack/stack_process.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/checksum.h"
#include "core/platform/file.h"
#include "lab/elastic/eval_process.h"
#include "stint/compress.h"

namespace stint {
namespace {

using Json = nlohmann::json;

// Whether a part of a compression is computed in a precision of its own.
bool IsBf16(const std::string& compression) {
  return compression == "bf16" || compression.ends_with("+bf16");
}

// A compressed model and what `stint compress` said of it.
struct Compressed {
  std::string file;
  std::map<std::string, double> figures;
  std::string error;  // why there is none
};

// By content of the names, so that a resumed study finds what it made.
std::string FileFor(const std::string& folder, const std::string& model,
                    const std::string& compression) {
  const std::string key = model + "\n" + compression;
  char name[32];
  std::snprintf(
      name, sizeof(name), "%016llx%s",
      static_cast<unsigned long long>(
          Checksum({reinterpret_cast<const uint8_t*>(key.data()), key.size()})),
      compression.ends_with("bit") ? ".stint" : ".onnx");
  return JoinPath(folder, name);
}

void TakeReport(const std::string& text, Compressed* made) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return;
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
  };
  made->figures["parameters"] = number("parameters");
  made->figures["parameters_before"] = number("parameters_before");
  made->figures["nonzeros"] = number("parameters") - number("zeros");
}

// Runs `stint compress` unless an earlier point did.
Result<Compressed> MakeSmall(const StackStudyOptions& options,
                             const std::string& model,
                             const std::string& compression,
                             const std::string& folder) {
  Compressed made;
  made.file = FileFor(folder, model, compression);
  const std::string report = made.file + ".json";
  if (!FileExists(made.file) || !FileExists(report)) {
    STINT_ASSIGN_OR_RETURN(const auto what, CompressOptionsOf(compression));
    std::vector<std::string> command = {options.stint_executable,
                                        "compress",
                                        model,
                                        "-o",
                                        made.file,
                                        "--format",
                                        "json"};
    command.insert(command.end(), what.begin(), what.end());
    if (!options.calibration.empty()) {
      command.insert(command.end(),
                     {"--data", options.calibration, "--task", options.task});
    }
    command.insert(command.end(), options.preprocessing.begin(),
                   options.preprocessing.end());
    STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                           RunProgram(command, options.timeout_seconds));
    if (!answer.exit.ok()) {
      made.error = answer.Reason();
      return made;
    }
    STINT_RETURN_IF_ERROR(WriteFileAtomically(report, answer.line));
  }
  STINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(report));
  TakeReport(text, &made);
  return made;
}

}  // namespace

Result<std::vector<std::string>> CompressOptionsOf(
    const std::string& compression) {
  std::vector<std::string> words;
  if (compression == "none") {
    return std::vector<std::string>{"--prune", "layer:0%"};
  }
  std::istringstream parts(compression);
  CompressOptions ignored;
  for (std::string part; std::getline(parts, part, '+');) {
    const bool prune = part.find("%") != std::string::npos ||
                       ParsePruning(part, &ignored).ok();
    STINT_RETURN_IF_ERROR(prune ? ParsePruning(part, &ignored)
                                : ParseQuantization(part, &ignored));
    words.insert(words.end(), {prune ? "--prune" : "--quantize", part});
  }
  return words;
}

Result<std::vector<std::string>> StackEvalCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file) {
  std::vector<std::string> command = {options.stint_executable,
                                      "eval",
                                      file,
                                      "--task",
                                      options.task,
                                      "--data",
                                      options.data,
                                      "--format",
                                      "json",
                                      "--right"};
  if (options.rows > 0) {
    command.insert(command.end(), {"--rows", std::to_string(options.rows)});
  }
  command.insert(command.end(), options.preprocessing.begin(),
                 options.preprocessing.end());
  const std::string primitive = ValueOf(point.treatment, "primitive");
  if (primitive != "auto") {
    command.insert(command.end(), {"--primitive", primitive});
  }
  const std::string code = ValueOf(point.treatment, "code");
  command.insert(command.end(), {"--schedule", code});
  if (IsBf16(ValueOf(point.treatment, "compression"))) {
    command.insert(command.end(), {"--precision", "bf16"});
  }
  STINT_ASSIGN_OR_RETURN(const auto compute,
                         ComputeOptions(ValueOf(point.condition, "compute")));
  command.insert(command.end(), compute.begin(), compute.end());
  return command;
}

std::vector<std::string> StackInspectCommand(
    const std::vector<std::string>& eval) {
  std::vector<std::string> command = {eval[0],     "inspect",  eval[2],
                                      "--kernels", "--format", "json"};
  constexpr std::string_view kShared[] = {"--primitive", "--schedule",
                                          "--precision", "--isa", "--threads"};
  for (size_t i = 3; i + 1 < eval.size(); ++i) {
    if (std::count(std::begin(kShared), std::end(kShared), eval[i]) > 0) {
      command.insert(command.end(), {eval[i], eval[i + 1]});
    }
  }
  return command;
}

Result<std::vector<std::string>> StackTuneCommand(
    const StackStudyOptions& options, const Point& point,
    const std::string& file) {
  std::vector<std::string> command = {options.stint_executable, "tune", file,
                                      "--budget", options.tune_budget};
  STINT_ASSIGN_OR_RETURN(const auto compute,
                         ComputeOptions(ValueOf(point.condition, "compute")));
  command.insert(command.end(), compute.begin(), compute.end());
  return command;
}

namespace {

// Runs `stint tune` unless an earlier point did; the reason when it failed.
Result<std::string> TuneOnce(const StackStudyOptions& options,
                             const Point& point, const std::string& file) {
  const std::string mark =
      file + "." + ValueOf(point.condition, "compute") + ".tuned";
  if (ValueOf(point.treatment, "code") != "tuned" || FileExists(mark)) {
    return std::string();
  }
  STINT_ASSIGN_OR_RETURN(const auto command,
                         StackTuneCommand(options, point, file));
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram(command, options.timeout_seconds));
  if (!answer.exit.ok()) return answer.Reason();
  STINT_RETURN_IF_ERROR(WriteFileAtomically(mark, options.tune_budget));
  return std::string();
}

Outcome Failed(const std::string& reason) {
  Outcome outcome;
  outcome.status = "failed";
  outcome.reason = reason;
  return outcome;
}

}  // namespace

PointRunner StackInProcesses(const StackStudyOptions& options,
                             const std::string& folder) {
  return [options, folder](const Point& point) -> Result<Outcome> {
    const std::string model = ValueOf(point.condition, "model");
    STINT_ASSIGN_OR_RETURN(
        const Compressed made,
        MakeSmall(options, model, ValueOf(point.treatment, "compression"),
                  folder));
    if (!made.error.empty()) return Failed(made.error);
    STINT_ASSIGN_OR_RETURN(const std::string untuned,
                           TuneOnce(options, point, made.file));
    if (!untuned.empty()) return Failed(untuned);
    STINT_ASSIGN_OR_RETURN(const auto command,
                           StackEvalCommand(options, point, made.file));
    STINT_ASSIGN_OR_RETURN(Outcome outcome,
                           RunEval(command, options.timeout_seconds));
    for (const auto& [name, value] : made.figures) {
      outcome.samples[name] = {value};
    }
    if (outcome.ok()) {
      STINT_ASSIGN_OR_RETURN(
          const auto inspect,
          RunProgram(StackInspectCommand(command), options.timeout_seconds));
      if (inspect.exit.ok()) TakeLayerTimes(inspect.line, &outcome);
    }
    std::error_code ignored;
    outcome.samples["model_bytes"] = {
        static_cast<double>(std::filesystem::file_size(made.file, ignored))};
    return outcome;
  };
}

}  // namespace stint

#include "lab/stack/stack_process.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/base/checksum.h"
#include "core/platform/file.h"
#include "lab/elastic/eval_process.h"
#include "lab/record/exit_codes.h"
#include "lab/record/model_record.h"
#include "lab/record/step_record.h"
#include "lab/stack/alike_points.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_commands.h"
#include "lab/stack/stack_compute.h"
#include "lab/stack/time_point.h"
#include "lab/stack/tuned_schedules.h"

namespace stint {
namespace {

// A compressed model and what `stint compress` said of it.
struct Compressed {
  std::string file;
  std::map<std::string, double> figures;
  std::string error;  // why there is none
};

uint64_t TextChecksum(const std::string& text) {
  return Checksum({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

Result<uint64_t> FileChecksum(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  return Checksum(file->bytes());
}

// By what makes it, so that a resumed study finds what it made and another
// with the same database, but other data to repair with, does not.
Result<std::string> FileFor(const StackStudyOptions& options,
                            const std::string& folder, const Point& point) {
  const std::string compression = ValueOf(point.treatment, "compression");
  StackStudyOptions by_content = options;
  by_content.files.clear();
  if (!options.calibration_content.empty()) {
    by_content.calibration = options.calibration_content;
  }
  STINT_ASSIGN_OR_RETURN(
      std::vector<std::string> command,
      StackCompressCommand(by_content,
                           ContentOf(ValueOf(point.condition, "model")),
                           compression, /*file=*/""));
  command.erase(command.begin());  // the program
  std::string key;
  for (const std::string& word : command) key += word + "\n";
  char name[32];
  std::snprintf(name, sizeof(name), "%016llx%s",
                static_cast<unsigned long long>(TextChecksum(key)),
                compression.ends_with("bit") ? ".stint" : ".onnx");
  return JoinPath(folder, name);
}

// `text` is what `stint compress` printed, with what AddMacs added.
Status TakeReport(const std::string& text, Compressed* made) {
  STINT_ASSIGN_OR_RETURN(const auto record, ParseRecord<CompressRecord>(text));
  const auto put = [&](const char* name, int64_t figure) {
    made->figures[name] = static_cast<double>(figure);
  };
  put("parameters", record.parameters);
  put("parameters_before", record.parameters_before);
  put("nonzeros", record.parameters - record.zeros);
  const auto model = ParseRecord<InspectRecord>(text);
  if (model.ok() && model->macs) put("macs", *model->macs);
  return OkStatus();
}

// Adds the products of the model in `file` to what `stint compress` said of
// it, as far as they can be known.
Result<std::string> AddMacs(const StackStudyOptions& options,
                            const std::string& file, const std::string& text) {
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram({options.stint_executable, "inspect", file,
                                     "--format", "json"},
                                    options.timeout_seconds));
  if (!answer.exit.ok()) return text;
  STINT_ASSIGN_OR_RETURN(Json report, ParseObject(text));
  STINT_ASSIGN_OR_RETURN(const auto model,
                         ParseRecord<InspectRecord>(answer.line));
  if (!model.macs) return text;
  AddRecord(model, &report);
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Runs `stint compress` unless an earlier point did.
Result<Compressed> MakeSmall(const StackStudyOptions& options,
                             const Point& point, const std::string& folder) {
  Compressed made;
  STINT_ASSIGN_OR_RETURN(made.file, FileFor(options, folder, point));
  const std::string report = made.file + ".json";
  if (!FileExists(made.file) || !FileExists(report)) {
    STINT_ASSIGN_OR_RETURN(
        const auto command,
        StackCompressCommand(options, ValueOf(point.condition, "model"),
                             ValueOf(point.treatment, "compression"),
                             made.file));
    STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                           RunProgram(command, options.timeout_seconds));
    if (!answer.exit.ok()) {
      made.error = answer.Reason();
      return made;
    }
    STINT_ASSIGN_OR_RETURN(const std::string text,
                           AddMacs(options, made.file, answer.line));
    STINT_RETURN_IF_ERROR(WriteFileAtomically(report, text));
  }
  STINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(report));
  STINT_RETURN_IF_ERROR(TakeReport(text, &made));
  std::error_code ignored;
  made.figures["model_bytes"] =
      static_cast<double>(std::filesystem::file_size(made.file, ignored));
  return made;
}

Outcome Ended(const char* status, const std::string& reason, Outcome outcome) {
  outcome.status = status;
  outcome.reason = reason;
  return outcome;
}

bool RunsOn(ComputeKind kind, const Point& point) {
  return KindOf(ValueOf(point.condition, "compute")) == kind;
}

// Whether the compute does not do what the point asks for, such as a layer in
// bf16. A model that this CPU does not run as it is would be a failure.
bool IsUnsupported(const Point& point, int exit_code) {
  return exit_code == kExitUnsupported &&
         (!RunsOn(ComputeKind::kHost, point) ||
          ValueOf(point.treatment, "compression") != "none");
}

// Leaves nothing that is a matter of the emulator: no times, no memory.
void KeepAnswers(Outcome* outcome) {
  constexpr std::string_view kAnswers[] = {"value", "correct", "total",
                                           "exit_code"};
  std::erase_if(outcome->samples, [&](const auto& sample) {
    return std::count(std::begin(kAnswers), std::end(kAnswers), sample.first) ==
           0;
  });
  if (outcome->ok()) outcome->status = "emulated";
}

// Adds by which kernels the point runs and what its layers take, as far as that
// can be known; ends it where there are no kernels.
Result<Outcome> ListKernels(const StackStudyOptions& options,
                            const Point& point, const std::string& file,
                            Outcome outcome) {
  STINT_ASSIGN_OR_RETURN(const auto command,
                         StackInspectCommand(options, point, file));
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer steps,
                         RunProgram(command, options.timeout_seconds));
  if (IsUnsupported(point, steps.exit.code)) {
    return Ended("unsupported", steps.Reason(), std::move(outcome));
  }
  if (!steps.exit.ok()) return outcome;
  const auto records = ParseSteps(steps.line);
  if (!records.ok()) {
    return Ended("failed", records.status().message(), std::move(outcome));
  }
  const Status tuned = CheckTuned(point, file, *records);
  if (!tuned.ok()) {
    return Ended("failed", tuned.message(), std::move(outcome));
  }
  if (!RunsOn(ComputeKind::kEmulated, point)) {
    TakeLayerTimes(*records, &outcome);
  }
  const auto forced = CountForced(*records);
  if (forced && ValueOf(point.treatment, "primitive") != "auto") {
    outcome.samples[kForcedSample] = {static_cast<double>(*forced)};
  }
  STINT_ASSIGN_OR_RETURN(const uint64_t model, FileChecksum(file));
  outcome.facts[kKernelsFact] = KernelsKey(*records, model);
  return outcome;
}

Result<Outcome> Prepare(const StackStudyOptions& options,
                        const std::string& folder, const Point& point) {
  Outcome outcome;
  const std::string compute = ValueOf(point.condition, "compute");
  if (const auto device = options.devices.find(compute);
      device != options.devices.end()) {
    outcome.facts[kDeviceFact] = device->second;
  }
  if (RunsOn(ComputeKind::kOpenCl, point) &&
      IsBf16(ValueOf(point.treatment, "compression"))) {
    return Ended("unsupported", compute + " computes in fp32 only",
                 std::move(outcome));
  }
  STINT_ASSIGN_OR_RETURN(const Compressed made,
                         MakeSmall(options, point, folder));
  if (!made.error.empty()) {
    return Ended("failed", made.error, std::move(outcome));
  }
  for (const auto& [name, value] : made.figures) {
    outcome.samples[name] = {value};
  }
  const auto schedules = TuneOnce(options, point, made.file);
  if (!schedules.ok()) {
    return Ended("failed", schedules.status().message(), std::move(outcome));
  }
  if (!schedules->empty()) outcome.facts[kSchedulesFact] = *schedules;
  return ListKernels(options, point, made.file, std::move(outcome));
}

Result<Outcome> Evaluate(const StackStudyOptions& options,
                         const std::string& folder, const Point& point,
                         const Outcome& prepared) {
  STINT_ASSIGN_OR_RETURN(const std::string file,
                         FileFor(options, folder, point));
  STINT_ASSIGN_OR_RETURN(const auto command,
                         StackEvalCommand(options, point, file));
  STINT_ASSIGN_OR_RETURN(Outcome outcome,
                         RunEval(command, options.timeout_seconds));
  if (IsUnsupported(
          point, static_cast<int>(outcome.Sample("exit_code").value_or(0)))) {
    outcome.status = "unsupported";
  }
  if (RunsOn(ComputeKind::kEmulated, point)) KeepAnswers(&outcome);
  outcome.samples.insert(prepared.samples.begin(), prepared.samples.end());
  outcome.facts.insert(prepared.facts.begin(), prepared.facts.end());
  return outcome;
}

// What compresses and tunes is run again only where its files are gone.
Result<Outcome> Time(const StackStudyOptions& options,
                     const std::string& folder, const Point& point,
                     PointTimer* timer) {
  STINT_ASSIGN_OR_RETURN(const Compressed made,
                         MakeSmall(options, point, folder));
  if (!made.error.empty()) return Ended("failed", made.error, {});
  const auto schedules = TuneOnce(options, point, made.file);
  if (!schedules.ok()) {
    return Ended("failed", schedules.status().message(), {});
  }
  STINT_ASSIGN_OR_RETURN(Outcome outcome, timer->Time(point, made.file));
  if (!schedules->empty()) outcome.facts[kSchedulesFact] = *schedules;
  return outcome;
}

}  // namespace

StackRunners StackInProcesses(const StackStudyOptions& options,
                              const std::string& folder) {
  StackRunners runners;
  runners.prepare = [options, folder](const Point& point) {
    return Prepare(options, folder, point);
  };
  runners.evaluate = [options, folder](const Point& point,
                                       const Outcome& prepared) {
    return Evaluate(options, folder, point, prepared);
  };
  runners.time = [options, folder,
                  timer = std::make_shared<PointTimer>(options, folder)](
                     const Point& point) {
    return Time(options, folder, point, timer.get());
  };
  return runners;
}

}  // namespace stint

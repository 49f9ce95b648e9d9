// stint study across-stack: compression, primitives and targets together.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <sstream>

#include "cli/commands/device/device_parts.h"
#include "cli/commands/study/study_commands.h"
#include "cli/options/image_options.h"
#include "cli/options/opencl_twin.h"
#include "cli/options/preprocess_option.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "cli/options/task_option.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/version.h"
#include "core/platform/file.h"
#include "core/platform/process.h"
#include "core/platform/temporary_folder.h"
#include "engine/device/machine_cache.h"
#include "lab/report/study_json.h"
#include "lab/stack/check_models.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_compute.h"
#include "lab/stack/stack_process.h"
#include "lab/study/run_program.h"

namespace stint::cli {
namespace {

// For an emulator to start a program.
constexpr double kVersionSeconds = 60;

struct StackCommandOptions {
  StackStudyOptions stack;
  std::string emulated_stint;  // empty: none
  std::string emulator = "qemu-aarch64";
  ImageOptions image;
  std::vector<std::string> preprocess;  // MODEL=OPTIONS
  std::vector<std::string> published;   // MODEL=ACCURACY
  bool quick = false;
  std::string format = "table";
};

Status CheckFiles(StackStudyOptions* stack) {
  STINT_RETURN_IF_ERROR(FindModels(ModelNames::kFiles, &stack->models));
  for (const std::string& data : {stack->data, stack->calibration}) {
    if (!data.empty() && !FileExists(data) && !DirectoryExists(data)) {
      return NotFound(data + ": no such file or folder");
    }
  }
  return OkStatus();
}

// What the device is, or kUnsupported with those that there are.
Result<std::string> DescribeOpenCl(const std::string& name) {
  const auto devices = OpenClDevices();
  if (!devices.ok()) return devices.status().Annotate("target '" + name + "'");
  std::string known;
  for (const OpenClDeviceInfo& device : *devices) {
    if (device.name == name) return OpenClDeviceText(device);
    known += (known.empty() ? "" : ", ") + device.name;
  }
  return Unsupported("target '" + name + "': no such device; there " +
                     (known.empty() ? "are none" : "are " + known));
}

// Sets the command of emulated points; what the program says it is.
Result<std::string> DescribeEmulated(StackCommandOptions* options) {
  if (options->emulated_stint.empty()) {
    return InvalidArgument(std::string("target '") + kEmulatedCompute +
                           "' needs --emulated-stint, as `make neon-stint` "
                           "builds it");
  }
  std::vector<std::string>& command = options->stack.emulated_stint;
  std::istringstream words(options->emulator);
  for (std::string word; words >> word;) command.push_back(word);
  command.push_back(options->emulated_stint);
  std::vector<std::string> ask = command;
  ask.emplace_back("--version");
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram(ask, kVersionSeconds));
  if (answer.exit.ok() && answer.line.starts_with("stint ")) {
    return answer.line + ", emulated by " + command.front() +
           ": answers only, no times";
  }
  return IoError(options->emulator + " " + options->emulated_stint +
                 " --version: " + answer.Reason());
}

// Asks for everything that the computes need, before anything runs.
Status DescribeComputes(StackCommandOptions* options) {
  StackStudyOptions& stack = options->stack;
  for (const std::string& compute : stack.computes) {
    switch (KindOf(compute)) {
      case ComputeKind::kHost:
        break;
      case ComputeKind::kOpenCl: {
        STINT_ASSIGN_OR_RETURN(stack.devices[compute], DescribeOpenCl(compute));
        break;
      }
      case ComputeKind::kEmulated: {
        STINT_ASSIGN_OR_RETURN(stack.devices[compute],
                               DescribeEmulated(options));
        break;
      }
    }
  }
  return OkStatus();
}

// Compressed models stay beside the database, for when the study goes on.
Result<std::string> FolderFor(const StackStudyOptions& stack,
                              const TemporaryFolder& temporary) {
  if (stack.database.empty()) return temporary.path();
  const std::string folder = stack.database + ".models";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return IoError(folder + ": " + error.message());
  return folder;
}

// A study that goes on has been warned.
Status WarnOfModels(const StackStudyOptions& stack) {
  if (stack.resume) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const auto sentences, CheckModels(stack));
  for (const std::string& sentence : sentences) {
    PrintError("stint: %s\n", sentence.c_str());
  }
  return OkStatus();
}

Result<StackReport> Run(StackCommandOptions* options) {
  StackStudyOptions& stack = options->stack;
  STINT_RETURN_IF_ERROR(CheckFiles(&stack));
  FillStack(options->quick, &stack);
  STINT_RETURN_IF_ERROR(MakeStackStudy(stack).status());
  STINT_RETURN_IF_ERROR(DescribeComputes(options));
  stack.preprocessing = options->image.words();
  STINT_RETURN_IF_ERROR(SetPreprocessing(options->preprocess, &stack));
  STINT_RETURN_IF_ERROR(SetPublished(options->published, &stack));
  stack.stint_executable = ExecutablePath();
  stack.program = Version() + ", kernels " + std::to_string(kKernelVersion);
  STINT_RETURN_IF_ERROR(IdentifyFiles(&stack));
  NoteDatabase(stack.database);
  STINT_RETURN_IF_ERROR(WarnOfModels(stack));
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder temporary,
                         TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(const std::string folder, FolderFor(stack, temporary));
  Progress progress("study");
  return RunStackStudy(
      stack, StackInProcesses(stack, folder),
      [&](int64_t done, int64_t total) { progress.Update(done, total); });
}

int RunStack(StackCommandOptions* options) {
  const auto report = Run(options);
  if (!report.ok()) return Fail(report.status());
  if (report->programs.size() > 1) {
    std::string programs;
    for (const std::string& program : report->programs) {
      programs += (programs.empty() ? "" : "; ") + program;
    }
    PrintError("stint: points of several versions are compared: %s\n",
               programs.c_str());
  }
  PrintResult(options->format, StackJson(*report), StackSection(*report));
  PrintCount(report->count);
  return report->count.failed > 0 ? kExitFailed : kExitOk;
}

void AddAxes(CLI::App* command, StackStudyOptions* stack) {
  command->add_option("--model", stack->models, "ONNX files")->required();
  command
      ->add_option("--compress", stack->compressions,
                   "none, or what `stint compress` takes, joined by +: "
                   "channel:50%+int8")
      ->delimiter(',');
  command
      ->add_option("--primitive", stack->primitives,
                   "auto, or the name of one, sparse included")
      ->delimiter(',');
  command
      ->add_option("--schedule", stack->codes,
                   "Schedules of convolutions: untuned, default, tuned")
      ->delimiter(',');
  command
      ->add_option("--tune-budget", stack->tune_budget,
                   "Time `stint tune` may take for each model and target")
      ->capture_default_str();
  command
      ->add_option("--target", stack->computes,
                   "all, instruction set and threads as avx2-1thread, "
                   "opencl:N, of which `stint device --opencl` has a list, or "
                   "emulated: answers without times")
      ->delimiter(',');
}

void AddEmulation(CLI::App* command, StackCommandOptions* options) {
  command
      ->add_option("--emulated-stint", options->emulated_stint,
                   "stint binary for the emulated architecture")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--emulator", options->emulator,
                   "The emulator that runs it, with its options")
      ->capture_default_str();
}

void AddRunning(CLI::App* command, StackCommandOptions* options) {
  StackStudyOptions* stack = &options->stack;
  AddQuick(command, &options->quick, "Few of each, and 500 rows");
  command->add_option("--rows", stack->rows, "Evaluate only the first N rows")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_flag("--exact", stack->exact,
                    "Evaluate every point, also those that run by the same "
                    "kernels as another");
  StudyFlags::Of(stack).AddTo(
      command,
      "Most rounds: the first evaluates each point, later ones time those "
      "that may win until that is decided",
      kMostRounds);
  AddTableFormat(command, &options->format);
}

}  // namespace

void AddStackStudy(CLI::App* studies, int* exit_code) {
  auto options = std::make_shared<StackCommandOptions>();
  CLI::App* command =
      studies->add_subcommand("across-stack",
                              "Accuracy, time and size over compression, "
                              "primitive, schedule and target, "
                              "and what changes the winner");
  command->footer(
      "Examples:\n"
      "  stint study across-stack --model m.onnx --data test.bin.xz --quick\n"
      "  stint study across-stack --model resnet20.onnx --quick \\\n"
      "      --data test_batch.bin.xz --calibrate data_batch_1.bin.xz \\\n"
      "      --scale 255 --db stack.db");
  AddAxes(command, &options->stack);
  AddEmulation(command, options.get());
  AddTask(command, &options->stack.task);
  CLI::Option* data =
      command->add_option("--data", options->stack.data, "Data, as for eval")
          ->required();
  GuessByName(data, &options->stack.task);
  CLI::Option* calibrate =
      command->add_option("--calibrate", options->stack.calibration,
                          "Data to repair with and to measure ranges on");
  command
      ->add_option("--calibrate-rows", options->stack.calibration_rows,
                   "How many first rows of --calibrate to use")
      ->needs(calibrate)
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  options->image.AddTo(command);
  command->add_option("--preprocess", options->preprocess,
                      "Options of pictures for one model in place of those: "
                      "'squeezenet=--channel-order bgr --mean 104,117,123'");
  command->add_option("--published", options->published,
                      "What others report of a model, to be warned before the "
                      "study when it is not reached: squeezenet=57.5%");
  AddRunning(command, options.get());
  command->callback(
      [options, exit_code] { *exit_code = RunStack(options.get()); });
}

}  // namespace stint::cli

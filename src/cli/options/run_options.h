#pragma once
// What the sub-commands of the command line share: exit codes, options that
// every command takes, printing.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/bind/kernel_site.h"
#include "stint/convert.h"
#include "stint/session.h"
#include "stint/status.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stint::cli {

// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

enum ExitCode {
  kExitOk = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitUnsupported = 3,
  kExitInfeasible = 4,
  kExitMismatch = 5,
};

// Prints "stint: message" to stderr and returns the exit code for the status.
int Fail(const Status& status);

// Options of every command that runs a model.
struct RunOptions {
  int threads = 0;        // 0: all CPUs this process may use
  std::string isa;        // empty: the best this machine has
  std::string precision;  // empty: as the model has it
  double tolerance = SessionOptions().tolerance;
  std::string primitive;  // empty: the fastest
  std::string schedule = SessionOptions().schedule;
  std::string device = SessionOptions().device;
  std::string format = "table";

  void AddTo(CLI::App* app);
  void AddPrecisionTo(CLI::App* app);
  // With "auto" and its tolerance.
  void AddAutoPrecisionTo(CLI::App* app);
  // And --schedule.
  void AddPrimitiveTo(CLI::App* app);
  void AddDeviceTo(CLI::App* app);
  int ThreadCount() const;
  Isa IsaCap() const;
  KernelSite Site() const;
  // Says on stderr when tuned schedules are there but cannot be used.
  SessionOptions Session() const;
  Result<Runtime> MakeRuntime() const {
    return Runtime::Create({ThreadCount(), isa});
  }
  bool json() const { return format == "json"; }
};

// Options that say how a foreign model is opened.
struct ModelOptions {
  std::string path;
  ImportOptions import;

  void AddTo(CLI::App* app);
};

// Says on stderr how many convolutions a forced primitive was used for; nothing
// when none was forced.
void ReportPrimitive(const std::string& primitive,
                     const std::vector<StepChoice>& choices);

// One JSON object per line; bytes that are not UTF-8 are replaced.
void PrintJson(const Json& json);

// To standard output as printf and fputs do, and to stderr, with what a
// terminal would obey made visible. Commands print by nothing else: names and
// reasons come from files, models and other processes.
void Print(const char* format, ...) __attribute__((format(printf, 1, 2)));
void PrintText(const std::string& text);
void PrintError(const char* format, ...) __attribute__((format(printf, 1, 2)));

// "12.3 ms", "90.9 MB" for people.
std::string FormatMs(double ms);
std::string FormatBytes(int64_t bytes);

// Each adds its sub-command; `exit_code` receives what it returns when run.
void AddInspectCommand(CLI::App* app, int* exit_code);
void AddRunCommand(CLI::App* app, int* exit_code);
void AddCheckCommand(CLI::App* app, int* exit_code);
void AddEvalCommand(CLI::App* app, int* exit_code);
void AddExportCommand(CLI::App* app, int* exit_code);
void AddCompressCommand(CLI::App* app, int* exit_code);
void AddOptimizeCommand(CLI::App* app, int* exit_code);
void AddPackCommand(CLI::App* app, int* exit_code);
void AddPlanCommand(CLI::App* app, int* exit_code);
void AddBenchCommand(CLI::App* app, int* exit_code);
void AddStudyCommand(CLI::App* app, int* exit_code);
void AddDeviceCommand(CLI::App* app, int* exit_code);
void AddTuneCommand(CLI::App* app, int* exit_code);
void AddPeerCommand(CLI::App* app, int* exit_code);
void AddOperatorsCommand(CLI::App* app, int* exit_code);

}  // namespace stint::cli

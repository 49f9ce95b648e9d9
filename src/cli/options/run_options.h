#pragma once
// Options of commands that open and run a model.

#include <memory>
#include <string>

#include "cli/terminal/print.h"
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

// --format with table and json.
void AddFormat(CLI::App* app, std::string* format);
// With csv and md, too, for PrintResult; takes the place of a narrower one that
// the command may have.
void AddTableFormat(CLI::App* app, std::string* format);

// Options of every command that runs a model.
struct RunOptions {
  int threads = 0;        // 0: all CPUs this process may use
  std::string isa;        // empty: the best this machine has
  std::string precision;  // empty: as the model has it
  double tolerance = SessionOptions().tolerance;
  std::string primitive;  // empty: the fastest
  std::string schedule{ScheduleModeName(LabOptions().schedule)};
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
    RuntimeOptions options;
    options.threads = ThreadCount();
    options.isa = ParseIsa(isa);
    return Runtime::Create(options);
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

}  // namespace stint::cli

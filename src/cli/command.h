#pragma once
// What the sub-commands of the command line share: exit codes, options that
// every command takes, printing.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/platform/cpu_info.h"
#include "core/platform/thread_pool.h"
#include "engine/bind/node_kernel.h"
#include "stint/status.h"

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

enum class Format { kTable, kJson, kCsv, kMarkdown };

// Options of every command that runs a model.
struct RunOptions {
  int threads = 0;  // 0: all CPUs this process may use
  std::string isa;  // empty: the best this machine has
  std::string format = "table";

  void AddTo(CLI::App* app);
  int ThreadCount() const;
  Isa IsaCap() const;
  KernelSite Site() const { return {IsaCap(), ThreadCount()}; }
  bool json() const { return format == "json"; }
};

// Each adds its sub-command; `exit_code` receives what it returns when run.
void AddCheckCommand(CLI::App* app, int* exit_code);

}  // namespace stint::cli

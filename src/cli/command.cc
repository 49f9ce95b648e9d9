#include "cli/command.h"

#include <algorithm>
#include <cstdio>

namespace stint::cli {

int Fail(const Status& status) {
  std::fprintf(stderr, "stint: %s\n", status.message().c_str());
  switch (status.code()) {
    case StatusCode::kUnsupported:
      return kExitUnsupported;
    case StatusCode::kBudgetInfeasible:
      return kExitInfeasible;
    case StatusCode::kMismatch:
      return kExitMismatch;
    default:
      return kExitFailed;
  }
}

void RunOptions::AddTo(CLI::App* app) {
  app->add_option("--threads", threads,
                  "Threads to use (default: all CPUs of this process)")
      ->check(CLI::Range(1, 1024));
  app->add_option("--isa", isa, "Cap the instruction set")
      ->check(CLI::IsMember({"sse2", "avx2", "avx512", "vnni", "amx"}));
  app->add_option("--format", format, "How results are printed")
      ->check(CLI::IsMember({"table", "json", "csv", "md"}));
}

int RunOptions::ThreadCount() const {
  return threads > 0 ? threads : AvailableCpus();
}

Isa RunOptions::IsaCap() const {
  const Isa best = DetectIsa();
  return std::min(best, ParseIsa(isa).value_or(best));
}

}  // namespace stint::cli

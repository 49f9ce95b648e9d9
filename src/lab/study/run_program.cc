#include "lab/study/run_program.h"

#include <cstdio>

namespace stint {
namespace {

constexpr size_t kErrorBytes = 4096;
// For a process that has answered, to end.
constexpr double kEndSeconds = 30;

}  // namespace

std::string ProgramAnswer::Reason() const {
  const size_t end = errors.find_last_not_of("\r\n");
  if (end == std::string::npos) return exit.ToString();
  const size_t before = errors.find_last_of("\r\n", end);
  const size_t begin = before == std::string::npos ? 0 : before + 1;
  return errors.substr(begin, end - begin + 1);
}

Result<ProgramAnswer> RunProgram(const std::vector<std::string>& command,
                                 double timeout_seconds) {
  STINT_ASSIGN_OR_RETURN(Process process, Process::Start(command));
  ProgramAnswer answer;
  const auto line = process.ReadLine(timeout_seconds);
  if (line.status().code() == StatusCode::kCancelled) {
    char reason[64];
    std::snprintf(reason, sizeof(reason), "no answer in %g s", timeout_seconds);
    answer.exit = process.Kill();
    answer.timed_out = true;
    answer.errors = reason;
    return answer;
  }
  if (line.ok()) answer.line = *line;
  answer.exit = process.Wait(kEndSeconds);
  answer.errors = process.ErrorTail(kErrorBytes);
  return answer;
}

}  // namespace stint

#pragma once
// A child process with pipes: lines go to its standard input and come from its
// standard output; what it writes to standard error is kept.

#include <string>
#include <string_view>
#include <vector>

#include "stint/status.h"

namespace stint {

// How a process ended: by itself with a code, or by a signal.
struct ProcessExit {
  int code = 0;
  int signal = 0;

  bool ok() const { return code == 0 && signal == 0; }
  std::string ToString() const;  // "SIGSEGV", "exit code 3"
};

// Used by one thread at a time. The destructor kills a process that still runs.
class Process {
 public:
  // Starts `command[0]` (looked up in PATH) with the other entries as its
  // arguments. kNotFound when there is no such program.
  static Result<Process> Start(const std::vector<std::string>& command);
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;

  // Writes the line and a newline. kIo when the process no longer reads.
  Status WriteLine(std::string_view line);

  // The next line without its newline. kCancelled when none came in time, kIo
  // at the end of the output.
  Result<std::string> ReadLine(double timeout_seconds);

  int pid() const { return pid_; }  // -1 once it has ended

  // Ends the process's standard input.
  void CloseInput();

  // Waits until the process ends; after `timeout_seconds` it is killed.
  ProcessExit Wait(double timeout_seconds);
  ProcessExit Kill();

  // The last `bytes` that the process wrote to standard error so far.
  std::string ErrorTail(size_t bytes) const;

 private:
  Process() = default;
  bool Poll();

  int pid_ = -1;  // -1 once it has been waited for
  int input_ = -1;
  int output_ = -1;
  int error_ = -1;  // a file in memory
  std::string buffer_;
  ProcessExit exit_;
};

// This process becomes `program` with these arguments, the last of which is
// null; returns only when that fails.
Status ReplaceProcess(const std::string& program, char** arguments);

// The file that this process runs.
std::string ExecutablePath();

}  // namespace stint

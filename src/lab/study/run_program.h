#pragma once
// A program that answers with one line, run to its end.

#include <string>
#include <vector>

#include "core/platform/process.h"
#include "stint/status.h"

namespace stint {

struct ProgramAnswer {
  bool timed_out = false;  // it was killed
  ProcessExit exit;
  std::string line;    // the first it printed; empty: none
  std::string errors;  // the end of what it wrote to standard error

  // The last line of the errors, or how it ended where there is none.
  std::string Reason() const;
};

// An error only where the program cannot be started.
Result<ProgramAnswer> RunProgram(const std::vector<std::string>& command,
                                 double timeout_seconds);

}  // namespace stint

#pragma once
// Exit codes of every command, which studies and scripts rely on.

#include "stint/status.h"

namespace stint {

enum ExitCode {
  kExitOk = 0,
  kExitFailed = 1,       // also: a damaged or unreadable file
  kExitUsage = 2,        // unknown command or option, value out of range
  kExitUnsupported = 3,  // model or operator
  kExitInfeasible = 4,   // no plan keeps the budget
  kExitMismatch = 5,     // outputs disagree
};

// The code of a command that ends with this status.
ExitCode ExitCodeOf(const Status& status);

}  // namespace stint

#include "lab/record/exit_codes.h"

namespace stint {

ExitCode ExitCodeOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kOk:
      return kExitOk;
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

}  // namespace stint

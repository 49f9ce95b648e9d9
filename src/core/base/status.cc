#include "stint/status.h"

#include <cstdio>
#include <cstdlib>

namespace stint {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kInvalidArgument:
      return "invalid argument";
    case StatusCode::kNotFound:
      return "not found";
    case StatusCode::kDamaged:
      return "damaged";
    case StatusCode::kUnsupported:
      return "unsupported";
    case StatusCode::kBudgetInfeasible:
      return "budget infeasible";
    case StatusCode::kMismatch:
      return "mismatch";
    case StatusCode::kResourceExhausted:
      return "resource exhausted";
    case StatusCode::kIo:
      return "io error";
    case StatusCode::kCancelled:
      return "cancelled";
    case StatusCode::kInternal:
      return "internal error";
  }
  return "unknown";
}

void AbortWith(const Status& status) {
  std::fprintf(stderr, "stint: value() of an error: %s: %s\n",
               std::string(StatusCodeName(status.code())).c_str(),
               status.message().c_str());
  std::abort();
}

Status Status::Annotate(std::string_view context) const {
  if (ok()) return *this;
  return Status(code_, std::string(context) + ": " + message_);
}

Status InvalidArgument(std::string m) {
  return Status(StatusCode::kInvalidArgument, std::move(m));
}
Status NotFound(std::string m) {
  return Status(StatusCode::kNotFound, std::move(m));
}
Status Damaged(std::string m) {
  return Status(StatusCode::kDamaged, std::move(m));
}
Status Unsupported(std::string m) {
  return Status(StatusCode::kUnsupported, std::move(m));
}
Status BudgetInfeasible(std::string m) {
  return Status(StatusCode::kBudgetInfeasible, std::move(m));
}
Status Mismatch(std::string m) {
  return Status(StatusCode::kMismatch, std::move(m));
}
Status ResourceExhausted(std::string m) {
  return Status(StatusCode::kResourceExhausted, std::move(m));
}
Status IoError(std::string m) { return Status(StatusCode::kIo, std::move(m)); }
Status Cancelled(std::string m) {
  return Status(StatusCode::kCancelled, std::move(m));
}
Status InternalError(std::string m) {
  return Status(StatusCode::kInternal, std::move(m));
}

}  // namespace stint

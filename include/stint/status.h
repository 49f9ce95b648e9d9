#pragma once
// Errors as values: every call that can fail on something from outside (files,
// models, budgets, memory, devices) returns a Status or a Result<T>.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stint {

enum class StatusCode {
  kOk,
  kInvalidArgument,    // the caller's value does not fit (shape, name, option)
  kNotFound,           // no such file, tensor or name
  kDamaged,            // a file that is truncated or contradicts itself
  kUnsupported,        // a well-formed model that stint cannot run
  kBudgetInfeasible,   // no plan fits the stated budget
  kMismatch,           // outputs disagree with what was expected
  kResourceExhausted,  // memory or a declared limit
  kIo,                 // the operating system refused
  kCancelled,
  kInternal,
};

std::string_view StatusCodeName(StatusCode code);

// A code and a one-line message that names the object and both sides of the
// disagreement. Cheap to copy when ok.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // The same error with "context: " in front, for callers that know the file
  // or the node.
  Status Annotate(std::string_view context) const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return Status(); }
Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status Damaged(std::string message);
Status Unsupported(std::string message);
Status BudgetInfeasible(std::string message);
Status Mismatch(std::string message);
Status ResourceExhausted(std::string message);
Status IoError(std::string message);
Status Cancelled(std::string message);
Status InternalError(std::string message);

// Ends the program with the status on stderr; Result::value() of an error.
[[noreturn]] void AbortWith(const Status& status);

// Either a value or a non-ok Status. value() on an error ends the program with
// the error's message, as abseil's does; `*` and `->` are for results that are
// known to be ok and are not checked, as those of std::optional.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT: implicit
  Result(Status status) : status_(std::move(status)) {  // NOLINT: implicit
    if (status_.ok()) status_ = InternalError("ok status without a value");
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & {
    if (!ok()) AbortWith(status_);
    return *value_;
  }
  const T& value() const& {
    if (!ok()) AbortWith(status_);
    return *value_;
  }
  T&& value() && {
    if (!ok()) AbortWith(status_);
    return std::move(*value_);
  }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace stint

#define STINT_CONCAT_INNER(a, b) a##b
#define STINT_CONCAT(a, b) STINT_CONCAT_INNER(a, b)

// Returns from the calling function when `expr` is a non-ok Status.
#define STINT_RETURN_IF_ERROR(expr)                                \
  do {                                                             \
    if (::stint::Status stint_status = (expr); !stint_status.ok()) \
      return stint_status;                                         \
  } while (false)

// STINT_ASSIGN_OR_RETURN(auto x, MakeX());
#define STINT_ASSIGN_OR_RETURN(lhs, expr) \
  STINT_ASSIGN_OR_RETURN_IMPL(STINT_CONCAT(stint_result_, __LINE__), lhs, expr)
#define STINT_ASSIGN_OR_RETURN_IMPL(result, lhs, expr) \
  auto result = (expr);                                \
  if (!result.ok()) return result.status();            \
  lhs = *std::move(result)

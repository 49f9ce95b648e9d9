// Session::DecidePrecision: precision "auto" becomes the fastest whose answers
// are near enough to those of fp32.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "api/device/session_state.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

// The quickest of so many is steady on a busy machine, too.
constexpr int kTimedRuns = 8;

// The largest difference of two outputs over the largest magnitude of the
// first; infinite where they cannot be compared.
double RelativeError(const Value& expected, const Value& found) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (!expected.is_tensor() || !found.is_tensor()) return kNever;
  const Tensor& a = expected.tensor();
  const Tensor& b = found.tensor();
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return kNever;
  if (a.dtype() != DType::kFloat32) {
    if (a.dtype() == DType::kString) return kNever;
    return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0 ? 0 : kNever;
  }
  double difference = 0;
  double magnitude = 0;
  const float* x = a.data<float>();
  const float* y = b.data<float>();
  for (int64_t i = 0; i < a.size(); ++i) {
    const double d = std::fabs(double{x[i]} - double{y[i]});
    if (!(d <= kNever)) return kNever;  // NaN
    difference = std::max(difference, d);
    magnitude = std::max(magnitude, std::fabs(double{x[i]}));
  }
  return difference == 0 ? 0 : difference / magnitude;
}

struct Answer {
  std::vector<Value> outputs;
  double run_ms = 0;
};

// Outputs of the session, and the quickest of a few more runs.
Result<Answer> RunAndTime(Session* session, const std::vector<Value>& inputs) {
  Answer answer;
  STINT_RETURN_IF_ERROR(session->RunInto(inputs, &answer.outputs));
  answer.run_ms = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimedRuns; ++i) {
    const int64_t start = NowNs();
    STINT_RETURN_IF_ERROR(session->RunInto(inputs, &answer.outputs));
    answer.run_ms = std::min(answer.run_ms, MsSince(start));
  }
  return answer;
}

double LargestError(const Answer& expected, const Answer& found) {
  double error = 0;
  for (size_t i = 0; i < expected.outputs.size(); ++i) {
    error =
        std::max(error, RelativeError(expected.outputs[i], found.outputs[i]));
  }
  return error;
}

// The fastest within the tolerance; fp32 is the first and always is.
size_t Choose(double tolerance, std::vector<PrecisionTrial>* trials) {
  size_t best = 0;
  for (size_t i = 1; i < trials->size(); ++i) {
    PrecisionTrial& trial = (*trials)[i];
    if (!trial.reason.empty()) continue;
    if (trial.error > tolerance) {
      trial.reason = "outputs differ too much";
    } else if (trial.run_ms < (*trials)[best].run_ms) {
      (*trials)[best].reason = "slower";
      best = i;
    } else {
      trial.reason = "slower";
    }
  }
  return best;
}

}  // namespace

Status Session::DecidePrecision(const std::vector<Value>& inputs) {
  SessionOptions options = state_->options;
  options.profile = false;
  options.lab.null_kernels = false;
  options.calibration_runs = 1;
  std::vector<PrecisionTrial> trials;
  Answer expected;
  for (Precision precision :
       {Precision::kFloat32, Precision::kBFloat16, Precision::kInt8}) {
    PrecisionTrial& trial = trials.emplace_back();
    trial.precision = precision;
    options.precision = precision;
    // Each has weights of its own while it is tried; the model keeps the plain
    // ones, so that the next finds them.
    Result<Session> session = Create(state_->model, state_->runtime, options);
    Result<Answer> answer = session.ok() ? RunAndTime(&*session, inputs)
                                         : Result<Answer>(session.status());
    if (!answer.ok()) {
      if (trials.size() == 1) return answer.status();
      trial.reason = answer.status().message();
      continue;
    }
    trial.run_ms = answer->run_ms;
    if (trials.size() == 1) {
      expected = std::move(*answer);
    } else {
      trial.error = LargestError(expected, *answer);
    }
  }
  const size_t best = Choose(options.tolerance, &trials);
  options = state_->options;
  options.precision = trials[best].precision;
  STINT_ASSIGN_OR_RETURN(
      Session chosen,
      Create(std::move(state_->model), std::move(state_->runtime), options));
  state_ = std::move(chosen.state_);
  state_->trials = std::move(trials);
  return OkStatus();
}

}  // namespace stint

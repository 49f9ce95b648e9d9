#include "lab/optimize/attempt.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stint {
namespace {

constexpr int kProfileRuns = 11;

// log(softmax(x / kTemperature)); of probabilities x is their logarithm.
std::vector<double> LogShares(const float* x, size_t count) {
  std::vector<double> logits(x, x + count);
  const double sum = std::accumulate(logits.begin(), logits.end(), 0.0);
  const bool probabilities =
      std::fabs(sum - 1) < 1e-3 &&
      std::all_of(x, x + count, [](float p) { return p >= 0; });
  for (double& logit : logits) {
    if (probabilities) logit = std::log(std::max(logit, 1e-12));
    logit /= kAnswerTemperature;
  }
  const double most = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (double logit : logits) total += std::exp(logit - most);
  for (double& logit : logits) logit -= most + std::log(total);
  return logits;
}

}  // namespace

double AnswerLoss(const std::vector<float>& original,
                  const std::vector<float>& answers, size_t classes) {
  double loss = 0;
  const size_t rows = original.size() / classes;
  for (size_t r = 0; r < rows; ++r) {
    const auto p = LogShares(original.data() + r * classes, classes);
    const auto q = LogShares(answers.data() + r * classes, classes);
    for (size_t c = 0; c < classes; ++c) {
      loss += std::exp(p[c]) * (p[c] - q[c]);
    }
  }
  // Rounding may leave a little less than nothing.
  return std::max(0.0, kAnswerTemperature * kAnswerTemperature * loss /
                           static_cast<double>(rows));
}

Result<Attempt> Attempt::Make(const AttemptOptions& options,
                              const Runtime& runtime, Compressor* compressor) {
  STINT_ASSIGN_OR_RETURN(CompressedModel made,
                         compressor->Run(options.compress));
  Attempt attempt(std::move(made.model), options.precision, compressor);
  STINT_RETURN_IF_ERROR(attempt.Reopen(runtime));
  return attempt;
}

Status Attempt::Reopen(const Runtime& runtime) {
  STINT_ASSIGN_OR_RETURN(Model fused, Fused());
  SessionOptions options;
  options.precision = ParsePrecision(precision_);
  options.profile = true;
  STINT_ASSIGN_OR_RETURN(Session session,
                         Session::Create(std::move(fused), runtime, options));
  session_ = std::make_unique<Session>(std::move(session));
  return OkStatus();
}

Result<std::vector<float>> Attempt::Answers(
    const std::vector<std::vector<Value>>& samples) {
  std::vector<float> answers;
  std::vector<Value> outputs;
  for (const auto& sample : samples) {
    STINT_RETURN_IF_ERROR(session_->RunInto(sample, &outputs));
    const Tensor& first = outputs[0].tensor();
    if (first.dtype() != DType::kFloat32) {
      return Unsupported("the model's first output is not float32");
    }
    answers.insert(answers.end(), first.data<float>(),
                   first.data<float>() + first.size());
  }
  return answers;
}

Result<std::vector<TimedStep>> Attempt::Profile() {
  if (compressor_->samples().empty()) {
    return InvalidArgument("there is no data to run on");
  }
  return TimeSteps(FirstRow(compressor_->samples()[0]), kProfileRuns,
                   session_.get());
}

}  // namespace stint

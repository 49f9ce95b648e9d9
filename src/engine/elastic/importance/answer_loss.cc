#include "engine/elastic/importance/answer_loss.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace stint {
namespace {

std::span<const float> NumbersOf(const Tensor& tensor) {
  return {tensor.data<float>(), static_cast<size_t>(tensor.size())};
}

std::vector<double> LogProbabilities(std::span<const float> logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float x : logits) sum += std::exp(static_cast<double>(x) - most);
  std::vector<double> logs;
  for (float x : logits) {
    logs.push_back(static_cast<double>(x) - most - std::log(sum));
  }
  return logs;
}

// Of outputs that may be probabilities already.
std::vector<double> LogsOf(std::span<const float> outputs) {
  double sum = 0;
  bool positive = true;
  for (float x : outputs) {
    sum += static_cast<double>(x);
    positive = positive && x >= 0;
  }
  if (!positive || std::fabs(sum - 1) > 1e-3) return LogProbabilities(outputs);
  constexpr double kLeast = 1e-12;  // no answer is surer than that
  std::vector<double> logs;
  for (float x : outputs) {
    logs.push_back(std::log(std::max(static_cast<double>(x), kLeast)));
  }
  return logs;
}

double DivergenceOfLogs(const std::vector<double>& p,
                        const std::vector<double>& q) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += std::exp(p[i]) * (p[i] - q[i]);
  return std::max(0.0, sum);
}

double Divergence(std::span<const float> reference,
                  std::span<const float> found) {
  return DivergenceOfLogs(LogProbabilities(reference), LogProbabilities(found));
}

struct Products {
  double ab = 0, aa = 0, bb = 0, difference = 0;
};

Products Multiply(std::span<const float> a, std::span<const float> b) {
  Products sums;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    sums.ab += x * y;
    sums.aa += x * x;
    sums.bb += y * y;
    sums.difference += (x - y) * (x - y);
  }
  return sums;
}

}  // namespace

double AnswerLoss(OutputMeaning meaning, const Tensor& reference,
                  const Tensor& found) {
  const auto a = NumbersOf(reference);
  const auto b = NumbersOf(found);
  if (a.size() != b.size() || a.empty()) return 0;
  if (meaning == OutputMeaning::kClassLogits) return Divergence(a, b);
  const Products sums = Multiply(a, b);
  if (meaning == OutputMeaning::kSentenceEmbedding) {
    const double norm = std::sqrt(sums.aa * sums.bb);
    return norm > 0 ? std::max(0.0, 1 - sums.ab / norm) : 0;
  }
  return sums.aa > 0 ? sums.difference / sums.aa : sums.difference;
}

double ClassLoss(const Tensor& reference, const Tensor& found) {
  return DivergenceOfLogs(LogsOf(NumbersOf(reference)),
                          LogsOf(NumbersOf(found)));
}

double LabelLoss(const Tensor& reference, const Tensor& found, int label) {
  const auto right = static_cast<size_t>(label);
  return LogsOf(NumbersOf(reference))[right] - LogsOf(NumbersOf(found))[right];
}

}  // namespace stint

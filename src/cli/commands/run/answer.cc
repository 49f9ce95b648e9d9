#include <algorithm>
#include <cmath>

#include "cli/commands/run/run_parts.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

Json ClassAnswer(const Package& package, const float* logits, int64_t count) {
  const float max = *std::max_element(logits, logits + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += std::exp(static_cast<double>(logits[i] - max));
  }
  const int64_t best = std::max_element(logits, logits + count) - logits;
  const bool named = best < static_cast<int64_t>(package.labels.size());
  return {{"label", named ? package.labels[static_cast<size_t>(best)]
                          : std::to_string(best)},
          {"index", best},
          {"probability", 1.0 / sum}};
}

}  // namespace

Json AnswerOf(const Package& package, const std::vector<NamedValue>& outputs) {
  if (outputs.empty() || !outputs[0].value.is_tensor()) return nullptr;
  const Tensor& first = outputs[0].value.tensor();
  if (first.dtype() != DType::kFloat32 || first.size() == 0) return nullptr;
  const float* data = first.data<float>();
  switch (package.meaning) {
    case OutputMeaning::kClassLogits:
      return ClassAnswer(package, data, first.shape().back());
    case OutputMeaning::kRegression:
      return {{"score", data[0]}};
    case OutputMeaning::kSentenceEmbedding:
      return {{"embedding", std::vector<float>(data, data + first.size())}};
    case OutputMeaning::kHiddenStates:
    case OutputMeaning::kUnknown:
      return nullptr;
  }
  return nullptr;
}

}  // namespace stint::cli

#include <algorithm>
#include <cmath>

#include "cli/commands/run/run_parts.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

Json ClassAnswer(const Model& model, const float* logits, int64_t count) {
  const float max = *std::max_element(logits, logits + count);
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    sum += std::exp(static_cast<double>(logits[i] - max));
  }
  const int64_t best = std::max_element(logits, logits + count) - logits;
  const bool named = best < static_cast<int64_t>(model.labels().size());
  return {{"label", named ? model.labels()[static_cast<size_t>(best)]
                          : std::to_string(best)},
          {"index", best},
          {"probability", 1.0 / sum}};
}

}  // namespace

Json AnswerOf(const Model& model, const std::vector<NamedValue>& outputs) {
  if (outputs.empty() || !outputs[0].value.is_tensor()) return nullptr;
  const Tensor& first = outputs[0].value.tensor();
  if (first.dtype() != DType::kFloat32 || first.size() == 0) return nullptr;
  const float* data = first.data<float>();
  switch (model.package()->meaning) {
    case OutputMeaning::kClassLogits:
      return ClassAnswer(model, data, first.shape().back());
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

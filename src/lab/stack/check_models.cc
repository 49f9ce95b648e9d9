#include "lab/stack/check_models.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "lab/elastic/eval_process.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_commands.h"
#include "stint/convert.h"

namespace stint {
namespace {

constexpr int64_t kRows = 200;
constexpr double kStandardErrors = 3;

// Of a classifier; 0 where the model does not say.
int64_t ClassesOf(const std::string& path) {
  const auto model = ImportModel(path);
  if (!model.ok() || model->outputs().empty()) return 0;
  const Shape& shape = model->outputs()[0].shape;
  return shape.empty() ? 0 : std::max<int64_t>(shape.back(), 0);
}

// Empty where nothing is wrong with it.
std::string Reason(int64_t correct, int64_t total, int64_t classes,
                   double published) {
  char text[80] = "";
  if (IsNearChance(correct, total, classes)) {
    std::snprintf(text, sizeof(text), "as by guessing among %lld classes",
                  static_cast<long long>(classes));
  } else if (published > 0 && IsBelow(correct, total, published)) {
    std::snprintf(text, sizeof(text), "less than the published %.1f %%",
                  100 * published);
  }
  return text;
}

std::string Sentence(const std::string& model, int64_t correct, int64_t total,
                     const std::string& reason) {
  return model + ": " + std::to_string(correct) + " of the first " +
         std::to_string(total) + " rows correct, " + reason +
         "; do --scale, --mean, --std, --channel-order and --size fit this "
         "model?";
}

}  // namespace

bool IsNearChance(int64_t correct, int64_t total, int64_t classes) {
  if (total <= 0 || classes <= 1) return false;
  const double chance = 1 / static_cast<double>(classes);
  const auto rows = static_cast<double>(total);
  const double error = std::sqrt(chance * (1 - chance) / rows);
  return static_cast<double>(correct) / rows <=
         chance + kStandardErrors * error;
}

bool IsBelow(int64_t correct, int64_t total, double published) {
  if (total <= 0) return false;
  const auto rows = static_cast<double>(total);
  const double error = std::sqrt(published * (1 - published) / rows);
  return static_cast<double>(correct) / rows <
         published - kStandardErrors * error;
}

Result<std::vector<std::string>> CheckModels(const StackStudyOptions& options) {
  StackStudyOptions few = options;
  few.rows = options.rows > 0 ? std::min(options.rows, kRows) : kRows;
  std::vector<std::string> sentences;
  for (const std::string& model : options.models) {
    const std::string file = FileOfModel(options, model);
    const Point point = {
        1,
        {{"model", model}, {"compute", "all"}},
        {{"compression", "none"}, {"primitive", "auto"}, {"code", "default"}}};
    STINT_ASSIGN_OR_RETURN(const auto command,
                           StackEvalCommand(few, point, file));
    STINT_ASSIGN_OR_RETURN(const Outcome outcome,
                           RunEval(command, options.timeout_seconds));
    const auto metric = outcome.facts.find("metric");
    if (!outcome.ok() || metric == outcome.facts.end() ||
        metric->second != "accuracy" || !outcome.Sample("correct") ||
        !outcome.Sample("total")) {
      continue;
    }
    const int64_t classes = ClassesOf(file);
    const auto correct = static_cast<int64_t>(*outcome.Sample("correct"));
    const auto total = static_cast<int64_t>(*outcome.Sample("total"));
    const auto published = options.published_of.find(file);
    const std::string reason =
        Reason(correct, total, classes,
               published == options.published_of.end() ? 0 : published->second);
    if (!reason.empty()) {
      sentences.push_back(Sentence(file, correct, total, reason));
    }
  }
  return sentences;
}

}  // namespace stint

#include "api/convert/rank_shards.h"

#include "convert/data/text_lines.h"
#include "convert/evaluate/evaluate_data.h"
#include "engine/elastic/importance/check_plans.h"
#include "engine/elastic/importance/measure_importance.h"
#include "weights/package/text_inputs.h"
#include "weights/store/elastic/set_importance.h"
#include "weights/store/package_file.h"

namespace stint {
namespace {

// Texts are cut to this: longer ones take the time of many and say no more.
constexpr int64_t kMaxTokens = 128;

Status CollectTexts(const CalibrationData& data, const Package& package,
                    ImportanceJob* job) {
  STINT_ASSIGN_OR_RETURN(const auto lines, ReadTextLines(data.data, data.rows));
  EncodeOptions encode;
  encode.max_length = kMaxTokens;
  for (const TextExample& line : lines) {
    std::optional<std::string_view> pair;
    if (!line.pair.empty()) pair = line.pair;
    STINT_ASSIGN_OR_RETURN(auto inputs,
                           TextInputs(package, line.text, pair, encode));
    job->samples.push_back(std::move(inputs));
  }
  return OkStatus();
}

// Takes every fourth sample out of the job, if there are enough.
std::vector<std::vector<Value>> HoldBack(ImportanceJob* job) {
  constexpr size_t kEvery = 4;
  constexpr size_t kEnough = 32;
  std::vector<std::vector<Value>> held, kept;
  if (job->samples.size() < kEnough) return held;
  std::vector<int> labels;
  for (size_t i = 0; i < job->samples.size(); ++i) {
    const bool hold = i % kEvery == kEvery - 1;
    (hold ? held : kept).push_back(std::move(job->samples[i]));
    if (!hold && !job->labels.empty()) labels.push_back(job->labels[i]);
  }
  job->samples = std::move(kept);
  job->labels = std::move(labels);
  return held;
}

// What a model is asked when it is evaluated on the data: nobody answers.
// Right classes where the data has them.
Status CollectSamples(const CalibrationData& data, const Package& package,
                      ImportanceJob* job) {
  if (data.task == "text") return CollectTexts(data, package, job);
  EvalOptions options;
  options.task = data.task;
  options.data = data.data;
  options.max_rows = data.rows;
  options.text.max_length = kMaxTokens;
  options.image = package.preprocessing.value_or(Preprocessing{});
  options.keep_labels = data.use_labels;
  const Tensor nothing = Tensor::Vector<float>({0});
  const auto listen = [&](const std::vector<Value>& inputs,
                          std::vector<Value>* outputs) {
    job->samples.push_back(inputs);
    outputs->assign(1, nothing);
    return OkStatus();
  };
  STINT_ASSIGN_OR_RETURN(EvalReport report,
                         EvaluateData({&package, listen}, options));
  job->labels = std::move(report.labels);
  return OkStatus();
}

}  // namespace

Result<int64_t> RankShards(
    const std::string& path, const CalibrationData& data, int threads,
    const std::function<void(int64_t done, int64_t total)>& progress) {
  STINT_ASSIGN_OR_RETURN(const Package package, ReadPackage(path));
  ThreadPool pool(threads);
  ImportanceJob job;
  job.package = &package;
  job.site = {DetectIsa(), threads};
  job.pool = &pool;
  STINT_RETURN_IF_ERROR(CollectSamples(data, package, &job));
  job.journal = path + ".importance";
  job.progress = progress;
  PlanCheckJob check{&package, job.site, &pool, HoldBack(&job)};
  STINT_ASSIGN_OR_RETURN(ShardCatalog catalog, MeasureImportance(job));
  if (!check.samples.empty()) {
    STINT_ASSIGN_OR_RETURN(catalog, CheckPlans(check, std::move(catalog)));
  }
  return SetImportance(path, catalog);
}

}  // namespace stint

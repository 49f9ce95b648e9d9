#include "api/convert/rank_shards.h"

#include "convert/evaluate/evaluate_data.h"
#include "engine/elastic/measure_importance.h"
#include "weights/store/package_file.h"
#include "weights/store/set_importance.h"

namespace stint {
namespace {

// Texts are cut to this: longer ones take the time of many and say no more.
constexpr int64_t kMaxTokens = 128;

// What a model is asked when it is evaluated on the data: nobody answers.
// Right classes where the data has them.
Status CollectSamples(const CalibrationData& data, const Package& package,
                      ImportanceJob* job) {
  EvalOptions options;
  options.task = data.task;
  options.data = data.data;
  options.max_rows = data.rows;
  options.text.max_length = kMaxTokens;
  options.image = package.preprocessing.value_or(Preprocessing{});
  const Tensor nothing = Tensor::Vector<float>({0});
  const auto listen = [&](const std::vector<Value>& inputs,
                          std::vector<Value>* outputs) {
    job->samples.push_back(inputs);
    outputs->assign(1, nothing);
    return OkStatus();
  };
  STINT_ASSIGN_OR_RETURN(EvalReport report,
                         EvaluateData({&package, listen}, options));
  if (data.use_labels) job->labels = std::move(report.labels);
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
  STINT_ASSIGN_OR_RETURN(const ShardCatalog catalog, MeasureImportance(job));
  return SetImportance(path, catalog);
}

}  // namespace stint

#include "lab/elastic/elastic_study.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/quantity.h"
#include "core/io/storage_rate.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/elastic/answers_study.h"
#include "lab/elastic/eval_process.h"

namespace stint {
namespace {

constexpr int64_t kQuickRows = 48;

using Texts = std::vector<std::string>;

void Default(Texts values, Texts* list) {
  if (list->empty()) *list = std::move(values);
}

Texts AllPolicies() {
  Texts policies = {"elastic", "sti", "load-then-run"};
  for (const char* kind : {"pipeline:", "resident:"}) {
    for (int bits = 2; bits <= 8; ++bits) {
      policies.push_back(kind + std::to_string(bits));
    }
  }
  return policies;
}

// Each value of a list can be read by `parse`.
template <typename Parse>
Status CheckList(const Texts& values, const Parse& parse) {
  for (const std::string& value : values) {
    if (value == kNoLimit) continue;
    STINT_RETURN_IF_ERROR(parse(value).status());
  }
  return OkStatus();
}

Status CheckFulls(const ElasticStudyOptions& options) {
  if (!options.fulls.empty() && options.fulls.size() != options.models.size()) {
    return InvalidArgument(std::to_string(options.fulls.size()) +
                           " plain files for " +
                           std::to_string(options.models.size()) + " models");
  }
  for (const std::string& policy : options.policies) {
    if (policy.ends_with(":32") && options.fulls.empty()) {
      return InvalidArgument("policy " + policy +
                             " needs --full F.stint, a plain package of the "
                             "same model");
    }
  }
  return OkStatus();
}

Status CheckLists(const ElasticStudyOptions& options) {
  STINT_RETURN_IF_ERROR(CheckList(options.latencies, ParseDurationNs));
  STINT_RETURN_IF_ERROR(CheckList(options.memories, ParseBytes));
  STINT_RETURN_IF_ERROR(CheckList(options.storages, ParseStorageRate));
  for (const std::string& compute : options.computes) {
    STINT_RETURN_IF_ERROR(ComputeOptions(compute).status());
  }
  return CheckFulls(options);
}

// What else the figures depend on; see Study::definition.
std::string Definition(const ElasticStudyOptions& options) {
  nlohmann::ordered_json json = {
      {"task", options.task},
      {"data", options.data},
      {"max_length", options.max_length},
      {"rows", options.rows},
      {"percentile", options.percentile},
  };
  if (SharesAnswers(options)) json["runs"] = options.runs;
  for (const auto* files : {&options.models, &options.fulls}) {
    for (const std::string& model : *files) {
      std::error_code ignored;
      const auto bytes = std::filesystem::file_size(model, ignored);
      json["model_bytes"].push_back(ignored ? 0 : bytes);
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool SharesAnswers(const ElasticStudyOptions& options) {
  return options.runs > 0 && (options.rows == 0 || options.rows > options.runs);
}

void FillGrid(bool quick, ElasticStudyOptions* options) {
  if (quick) {
    Default({"20ms", "80ms"}, &options->latencies);
    Default({"8MB", "16MB"}, &options->memories);
    Default({"80MB/s,100us"}, &options->storages);
    Default({"all"}, &options->computes);
    Default({"elastic", "sti", "load-then-run", "pipeline:4", "resident:4"},
            &options->policies);
    if (options->rows == 0) options->rows = kQuickRows;
    return;
  }
  Default({"10ms", "20ms", "40ms", "80ms"}, &options->latencies);
  Default({"6MB", "8MB", "10MB", "16MB"}, &options->memories);
  Default({"20MB/s,100us", "80MB/s,100us", "200MB/s,100us"},
          &options->storages);
  Default({"all", "avx2-1thread"}, &options->computes);
  Default(AllPolicies(), &options->policies);
}

Result<Study> MakeElasticStudy(const ElasticStudyOptions& options) {
  STINT_RETURN_IF_ERROR(CheckLists(options));
  Study study;
  study.name = "elastic";
  study.definition = Definition(options);
  study.conditions = CrossAxes({{"model", options.models},
                                {"storage", options.storages},
                                {"compute", options.computes},
                                {"memory", options.memories},
                                {"latency", options.latencies}});
  study.treatments = CrossAxes({{"policy", options.policies}});
  study.check_round = false;
  study.rounds = options.rounds;
  study.seed = options.seed;
  return TakeShard(study, options.shard.number, options.shard.parts);
}

Result<ElasticReport> RunElasticStudy(const ElasticStudyOptions& options,
                                      const ElasticRunners& runners,
                                      const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const Study study, MakeElasticStudy(options));
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "elastic.db")
                              : options.database));
  if (!options.resume) {
    STINT_RETURN_IF_ERROR(CheckFresh(study, options.database, &database));
  }
  STINT_ASSIGN_OR_RETURN(
      StudyCount count, RunStudy(study, &database, runners.evaluate, progress));
  STINT_ASSIGN_OR_RETURN(const PlansToAnswer plans,
                         FindPlans(study, &database));
  const Study answers = AnswersStudy(study, plans);
  const auto answer = [&](const Point& point) {
    return runners.answer(point, plans.at(point.condition));
  };
  STINT_ASSIGN_OR_RETURN(const StudyCount answered,
                         RunStudy(answers, &database, answer, progress));
  count.failed += answered.failed;
  STINT_ASSIGN_OR_RETURN(ElasticReport report,
                         MakeElasticReport(study, &database));
  report.count = count;
  return report;
}

}  // namespace stint

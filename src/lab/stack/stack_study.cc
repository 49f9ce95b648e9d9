#include "lab/stack/stack_study.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/quantity.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "engine/choose/conv_choice.h"
#include "lab/stack/alike_points.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_commands.h"
#include "lab/stack/stack_compute.h"
#include "lab/stack/time_contests.h"

namespace stint {
namespace {

constexpr int64_t kQuickRows = 500;

using Texts = std::vector<std::string>;

void Default(Texts values, Texts* list) {
  if (list->empty()) *list = std::move(values);
}

Status CheckLists(const StackStudyOptions& options) {
  for (const std::string& compression : options.compressions) {
    STINT_RETURN_IF_ERROR(CompressOptionsOf(compression).status());
  }
  for (const std::string& primitive : options.primitives) {
    if (primitive == "auto") continue;
    STINT_RETURN_IF_ERROR(CheckPrimitive(primitive));
  }
  for (const std::string& code : options.codes) {
    if (!ParseScheduleMode(code)) {
      return InvalidArgument("schedule '" + code +
                             "', expected untuned, default or tuned");
    }
  }
  STINT_RETURN_IF_ERROR(ParseDurationNs(options.tune_budget).status());
  for (const std::string& compute : options.computes) {
    STINT_RETURN_IF_ERROR(StackComputeOptions(compute).status());
  }
  return OkStatus();
}

bool Has(const Texts& list, const std::string& value) {
  return std::count(list.begin(), list.end(), value) > 0;
}

// Every value that some compute has, in the order in which they come.
Texts OnSome(const StackStudyOptions& options, const Texts& asked,
             Texts (*on)(const std::string&, const Texts&)) {
  Texts values;
  for (const std::string& compute : options.computes) {
    for (const std::string& value : on(compute, asked)) {
      if (!Has(values, value)) values.push_back(value);
    }
  }
  return values;
}

// What else the figures depend on; see Study::definition. What is on an axis is
// in the points, so that a grid can grow.
std::string Definition(const StackStudyOptions& options) {
  const auto content = [](const std::string& hash, const std::string& path) {
    return hash.empty() ? path : hash;
  };
  nlohmann::ordered_json json = {
      {"task", options.task},
      {"data", content(options.data_content, options.data)},
      {"calibration",
       content(options.calibration_content, options.calibration)},
      {"rows", options.rows},
      {"calibration_rows", options.calibration_rows},
      {"tune_budget", options.tune_budget}};
  // Names by content have it in them.
  if (options.files.empty()) {
    json["preprocessing"] = options.preprocessing;
    json["preprocessing_of"] = options.preprocessing_of;
  }
  if (options.exact) json["exact"] = true;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void FillStack(bool quick, StackStudyOptions* options) {
  if (quick) {
    Default({"none", "magnitude:80%", "channel:50%", "int8"},
            &options->compressions);
    Default({"auto", "direct", "im2col"}, &options->primitives);
    Default({"all", "avx2-1thread"}, &options->computes);
    Default({"default"}, &options->codes);
    if (options->rows == 0) options->rows = kQuickRows;
    return;
  }
  Default({"none", "magnitude:50%", "magnitude:80%", "magnitude:90%", "4x1:50%",
           "4x1:70%", "8x1:70%", "channel:25%", "channel:50%", "fp16", "bf16",
           "int8", "channel:25%+int8", "magnitude:50%+int8"},
          &options->compressions);
  Default({"auto", "direct", "im2col", "spatial", "implicit", "winograd4",
           "sparse", "sparse_im2col", "sparse_spatial"},
          &options->primitives);
  Default({"untuned", "default", "tuned"}, &options->codes);
  Default({"all", "avx512-1thread", "avx2-1thread"}, &options->computes);
}

Result<Study> MakeStackStudy(const StackStudyOptions& options) {
  STINT_RETURN_IF_ERROR(CheckLists(options));
  Study study;
  study.name = "across-stack";
  study.definition = Definition(options);
  study.conditions =
      CrossAxes({{"model", options.models}, {"compute", options.computes}});
  study.treatments = CrossAxes(
      {{"compression", options.compressions},
       {"primitive", OnSome(options, options.primitives, PrimitivesOn)},
       {"code", OnSome(options, options.codes, CodesOn)}});
  study.includes = [options](const Setting& condition,
                             const Setting& treatment) {
    const std::string compute = ValueOf(condition, "compute");
    return Has(PrimitivesOn(compute, options.primitives),
               ValueOf(treatment, "primitive")) &&
           Has(CodesOn(compute, options.codes), ValueOf(treatment, "code"));
  };
  study.check_round = false;
  study.seed = options.seed;
  study.program = options.program;
  return TakeShard(study, options.shard.number, options.shard.parts);
}

Result<StackReport> RunStackStudy(const StackStudyOptions& given,
                                  const StackRunners& runners,
                                  const StudyProgress& progress) {
  StackStudyOptions options = given;
  STINT_ASSIGN_OR_RETURN(Study study, MakeStackStudy(options));
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "stack.db")
                              : options.database));
  STINT_RETURN_IF_ERROR(TakeKnownNames(study, &database, &options));
  STINT_ASSIGN_OR_RETURN(study, MakeStackStudy(options));
  if (!options.resume) {
    STINT_RETURN_IF_ERROR(CheckFresh(study, options.database, &database));
  }
  const PointRunner run = options.exact
                              ? EvaluateEach(runners)
                              : EvaluateOnce(study, runners, &database);
  STINT_ASSIGN_OR_RETURN(const StudyCount count,
                         RunStudy(study, &database, run, progress));
  if (runners.time) {
    STINT_ASSIGN_OR_RETURN(
        study.rounds,
        TimeContests(study, options.rounds, runners.time, &database, progress));
  }
  STINT_ASSIGN_OR_RETURN(StackReport report, MakeStackReport(study, &database));
  report.count = count;
  return report;
}

}  // namespace stint

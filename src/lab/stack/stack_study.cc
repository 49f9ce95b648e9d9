#include "lab/stack/stack_study.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/quantity.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "engine/bind/conv_choice.h"
#include "lab/stack/alike_points.h"
#include "lab/stack/stack_commands.h"
#include "lab/stack/stack_compute.h"

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
      return InvalidArgument("code '" + code +
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

// What else the figures depend on; see Study::definition.
std::string Definition(const StackStudyOptions& options) {
  nlohmann::ordered_json json = {{"task", options.task},
                                 {"data", options.data},
                                 {"calibration", options.calibration},
                                 {"preprocessing", options.preprocessing},
                                 {"rows", options.rows}};
  if (options.calibration_rows != kRepairRows) {
    json["calibration_rows"] = options.calibration_rows;
  }
  if (Has(options.codes, "tuned")) {
    json["tune_budget"] = options.tune_budget;
  }
  if (options.exact) json["exact"] = true;
  for (const std::string& model : options.models) {
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(model, ignored);
    json["model_bytes"].push_back(ignored ? 0 : bytes);
  }
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
  study.rounds = options.rounds;
  study.seed = options.seed;
  return TakeShard(study, options.shard.number, options.shard.parts);
}

Result<StackReport> RunStackStudy(const StackStudyOptions& options,
                                  const StackRunners& runners,
                                  const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const Study study, MakeStackStudy(options));
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "stack.db")
                              : options.database));
  if (!options.resume) {
    STINT_RETURN_IF_ERROR(CheckFresh(study, options.database, &database));
  }
  const PointRunner run = options.exact
                              ? EvaluateEach(runners)
                              : EvaluateOnce(study, runners, &database);
  STINT_ASSIGN_OR_RETURN(const StudyCount count,
                         RunStudy(study, &database, run, progress));
  STINT_ASSIGN_OR_RETURN(StackReport report, MakeStackReport(study, &database));
  report.count = count;
  return report;
}

}  // namespace stint

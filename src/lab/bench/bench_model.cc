#include "lab/bench/bench_model.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"
#include "stint/convert.h"

namespace stint {
namespace {

std::vector<std::string> ToTexts(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (int64_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

// Batch, sequence (where the model has one) and threads.
Result<std::vector<Setting>> Conditions(const BenchOptions& options,
                                        const Model& model) {
  const FreeDimensions free = FindFreeDimensions(model);
  std::vector<int64_t> batches = options.batches;
  if (batches.empty()) batches = {free.fixed_batch > 0 ? free.fixed_batch : 1};
  for (int64_t batch : batches) {
    if (!free.batch && batch != std::max<int64_t>(1, free.fixed_batch)) {
      return InvalidArgument(
          "--batch " + std::to_string(batch) +
          ": the model's first input has a fixed first dimension " +
          std::to_string(free.fixed_batch));
    }
  }
  std::vector<Axis> axes = {{"batch", ToTexts(batches)}};
  if (free.sequence) {
    axes.push_back({"seq", options.sequences.empty()
                               ? std::vector<std::string>{"128"}
                               : ToTexts(options.sequences)});
  } else if (!options.sequences.empty()) {
    return InvalidArgument("--seq: the model has no free sequence dimension");
  }
  axes.push_back({"threads", {std::to_string(options.threads)}});
  return CrossAxes(axes);
}

// Peers at fp32 first, because the first of them is the reference; peers always
// run at fp32, because ratios are to the fastest of them.
std::vector<Setting> Treatments(const BenchOptions& options) {
  std::vector<Setting> treatments;
  for (const std::string& peer : options.against) {
    treatments.push_back(PeerTreatment(peer, "fp32"));
  }
  for (const std::string& precision : options.precisions) {
    treatments.push_back(PeerTreatment("stint", precision));
  }
  treatments.push_back(PeerTreatment("stint", options.precisions[0], 2));
  for (const std::string& precision : options.precisions) {
    // Peers have run in fp32; only we choose.
    if (precision == "fp32" || precision == "auto") continue;
    for (const std::string& peer : options.against) {
      treatments.push_back(PeerTreatment(peer, precision));
    }
  }
  return treatments;
}

// Bytes of the model's file, or of all files of its folder.
int64_t ModelBytes(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return static_cast<int64_t>(fs::file_size(path, ignored));
  }
  int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(path, ignored)) {
    if (!entry.is_regular_file(ignored)) continue;
    bytes += static_cast<int64_t>(entry.file_size(ignored));
  }
  return bytes;
}

// What else the figures depend on; see Study::definition.
std::string Definition(const BenchOptions& options) {
  nlohmann::ordered_json json = {
      {"model", options.model},
      {"model_bytes", ModelBytes(options.model)},
      {"seconds", options.seconds},
      {"isa", options.isa},
      {"cold", options.cold},
      {"seed", options.seed},
      {"primitive", options.primitive},
      {"schedule", options.schedule},
  };
  for (const auto& [name, shape] : options.input_shapes) {
    json["input_shapes"][name] = shape;
  }
  if (!options.device.empty()) json["device"] = options.device;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<Study> MakeStudy(const BenchOptions& options, const Model& model) {
  Study study;
  study.name = "bench";
  study.definition = Definition(options);
  STINT_ASSIGN_OR_RETURN(study.conditions, Conditions(options, model));
  study.treatments = Treatments(options);
  study.rounds = options.rounds;
  study.seed = options.seed;
  return study;
}

PeerPointsOptions PointsOptions(const BenchOptions& options) {
  PeerPointsOptions points;
  points.isa = options.isa;
  points.input_shapes = options.input_shapes;
  points.device = options.device;
  points.primitive = options.primitive;
  points.schedule = options.schedule;
  points.seed = options.seed;
  points.visit.seconds = options.seconds;
  points.visit.timeout_seconds = options.timeout_seconds;
  points.visit.cold = options.cold;
  points.visit.energy = options.energy;
  points.peers_folder = options.peers_folder;
  points.stint_executable = options.stint_executable;
  return points;
}

}  // namespace

Result<BenchReport> BenchModel(const BenchOptions& options,
                               const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "bench.db")
                              : options.database));
  Study study;
  const auto make_points = [&]() -> Result<PeerPoints> {
    ImportOptions plain;
    plain.optimize = false;  // it may have to be exported
    STINT_ASSIGN_OR_RETURN(const Model opened,
                           ImportModel(options.model, plain));
    STINT_ASSIGN_OR_RETURN(const Model model, opened.Restored());
    STINT_ASSIGN_OR_RETURN(study, MakeStudy(options, model));
    STINT_ASSIGN_OR_RETURN(PeerPoints points,
                           PeerPoints::Make(PointsOptions(options), study,
                                            folder.path(), &database));
    STINT_RETURN_IF_ERROR(points.AddModel("", options.model, model));
    return points;
  };
  STINT_ASSIGN_OR_RETURN(PeerPoints points, make_points());
  const auto run = [&](const Point& point) { return points.Run(point); };
  STINT_RETURN_IF_ERROR(RunStudy(study, &database, run, progress).status());
  return MakeBenchReport(study, &database);
}

}  // namespace stint

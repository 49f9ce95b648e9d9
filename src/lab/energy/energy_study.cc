#include "lab/energy/energy_study.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/networks/open_network.h"
#include "lab/peers/peer_points.h"

namespace stint {
namespace {

// Files are told apart by their size: paths differ between machines.
std::string Definition(const EnergyStudyOptions& options,
                       const EnergyMeter& meter) {
  nlohmann::ordered_json json = {{"seconds", options.seconds},
                                 {"isa", options.isa},
                                 {"energy_grade", meter.grade}};
  for (const auto& [name, shape] : options.input_shapes) {
    json["input_shapes"][name] = shape;
  }
  for (const std::string& model : options.models) {
    std::error_code ignored;
    if (IsNetworkFile(model)) {
      json["model_bytes"].push_back(std::filesystem::file_size(model, ignored));
    }
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<Setting> Conditions(const EnergyStudyOptions& options,
                                const std::vector<NetworkFile>& models) {
  std::vector<Setting> conditions;
  for (const NetworkFile& model : models) {
    for (int64_t batch : options.batches) {
      Setting setting = {{"model", model.name}};
      if (FindFreeDimensions(model.model).sequence) {
        setting.emplace_back("seq", std::to_string(options.sequence));
      }
      setting.emplace_back("batch", std::to_string(batch));
      setting.emplace_back("threads", std::to_string(options.threads));
      conditions.push_back(std::move(setting));
    }
  }
  return conditions;
}

Study MakeStudy(const EnergyStudyOptions& options, const EnergyMeter& meter,
                const std::vector<NetworkFile>& models) {
  Study study;
  study.name = "energy";
  study.definition = Definition(options, meter);
  study.conditions = Conditions(options, models);
  for (const std::string& runtime : options.runtimes) {
    study.treatments.push_back(PeerTreatment(runtime, "fp32"));
  }
  study.treatments.push_back(PeerTreatment("stint", "fp32"));
  study.treatments.push_back(PeerTreatment("stint", "fp32", 2));
  study.rounds = options.rounds;
  study.seed = options.seed;
  return TakeShard(study, options.shard.number, options.shard.parts);
}

PeerPointsOptions PointsOptions(const EnergyStudyOptions& options,
                                EnergyRecorder* energy) {
  PeerPointsOptions points;
  points.isa = options.isa;
  points.input_shapes = options.input_shapes;
  points.seed = options.seed;
  points.visit.seconds = options.seconds;
  points.visit.timeout_seconds = options.timeout_seconds;
  points.visit.energy = energy;
  points.peers_folder = options.peers_folder;
  points.stint_executable = options.stint_executable;
  return points;
}

}  // namespace

void FillEnergyOptions(bool quick, bool has_meter,
                       EnergyStudyOptions* options) {
  EnergyStudyOptions& o = *options;
  if (o.models.empty()) {
    o.models = quick ? std::vector<std::string>{"mobilenetv2", "minilm"}
                     : std::vector<std::string>{"resnet50", "mobilenetv2",
                                                "bert-base"};
  }
  if (o.batches.empty()) {
    o.batches =
        quick ? std::vector<int64_t>{1, 8} : std::vector<int64_t>{1, 64};
  }
  if (o.rounds == 0) o.rounds = 10;
  if (o.seconds == 0) {
    o.seconds = !quick ? 5 : has_meter ? kLeastBlockSeconds : 0.4;
  }
}

Result<EnergyStudyReport> RunEnergyStudy(const EnergyStudyOptions& options,
                                         EnergyRecorder* energy,
                                         const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "energy.db")
                              : options.database));
  std::vector<NetworkFile> models;
  for (const std::string& name : options.models) {
    STINT_ASSIGN_OR_RETURN(NetworkFile model,
                           OpenNetwork(name, options.seed, folder.path()));
    models.push_back(std::move(model));
  }
  const Study study = MakeStudy(options, energy->meter(), models);
  if (!options.resume) {
    STINT_RETURN_IF_ERROR(CheckFresh(study, options.database, &database));
  }
  STINT_ASSIGN_OR_RETURN(PeerPoints points,
                         PeerPoints::Make(PointsOptions(options, energy), study,
                                          folder.path(), &database));
  for (const NetworkFile& model : models) {
    STINT_RETURN_IF_ERROR(points.AddModel(model.name, model.path, model.model));
  }
  models.clear();  // their weights are in the files
  const auto run = [&](const Point& point) { return points.Run(point); };
  STINT_ASSIGN_OR_RETURN(const StudyCount count,
                         RunStudy(study, &database, run, progress));
  STINT_ASSIGN_OR_RETURN(EnergyStudyReport report,
                         MakeEnergyStudyReport(study, &database));
  report.count = count;
  return report;
}

}  // namespace stint

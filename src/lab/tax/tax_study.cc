#include "lab/tax/tax_study.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/networks/open_network.h"
#include "lab/peers/peer_points.h"

namespace stint {
namespace {

constexpr int64_t kProfileRuns = 3;

template <typename T>
void Default(T value, bool missing, T* out) {
  if (missing) *out = std::move(value);
}

std::string DelayRuntime(double delay_us) {
  return "stint:delay=" + std::to_string(static_cast<int64_t>(delay_us)) + "us";
}

Result<std::vector<NetworkFile>> OpenModels(const TaxStudyOptions& options,
                                            const std::string& folder) {
  std::vector<NetworkFile> models;
  for (const std::string& name : options.models) {
    STINT_ASSIGN_OR_RETURN(NetworkFile model,
                           OpenNetwork(name, options.seed, folder));
    models.push_back(std::move(model));
    if (IsNetworkFile(name)) continue;
    STINT_ASSIGN_OR_RETURN(NetworkFile twin, OpenNetwork(name + kTwinSuffix,
                                                         options.seed, folder));
    models.push_back(std::move(twin));
  }
  return models;
}

// Models with all batches, twins with the first alone; sequences of text.
std::vector<Setting> Conditions(const TaxStudyOptions& options,
                                const std::vector<NetworkFile>& models) {
  std::vector<Setting> conditions;
  for (const NetworkFile& model : models) {
    const bool has_sequence = FindFreeDimensions(model.model).sequence;
    const auto add = [&](int64_t batch, int64_t sequence) {
      Setting setting = {{"model", model.name}};
      if (has_sequence) {
        setting.emplace_back("seq", std::to_string(sequence));
      }
      setting.emplace_back("batch", std::to_string(batch));
      setting.emplace_back("threads", std::to_string(options.threads));
      conditions.push_back(std::move(setting));
    };
    const int64_t first = options.sequences[0];
    if (model.name.ends_with(kTwinSuffix)) {
      add(options.batches[0], first);
      continue;
    }
    for (int64_t batch : options.batches) add(batch, first);
    for (size_t i = 1; has_sequence && i < options.sequences.size(); ++i) {
      add(options.batches[0], options.sequences[i]);
    }
  }
  return conditions;
}

// Peers first: the first of them is the reference for the outputs.
std::vector<Setting> Treatments(const TaxStudyOptions& options) {
  std::vector<Setting> treatments;
  for (const std::string& runtime : options.runtimes) {
    treatments.push_back(PeerTreatment(runtime, options.precision));
  }
  for (const std::string& runtime :
       {std::string("stint"), DelayRuntime(options.delay_us),
        std::string("stint:null")}) {
    treatments.push_back(PeerTreatment(runtime, options.precision));
  }
  treatments.push_back(PeerTreatment("stint", options.precision, 2));
  return treatments;
}

// Files are told apart by their size: paths differ between machines.
std::string Definition(const TaxStudyOptions& options) {
  nlohmann::ordered_json json = {{"seconds", options.seconds},
                                 {"isa", options.isa},
                                 {"precision", options.precision}};
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

Status AddModels(const std::vector<NetworkFile>& models, PeerPoints* points) {
  for (const NetworkFile& model : models) {
    STINT_RETURN_IF_ERROR(
        points->AddModel(model.name, model.path, model.model));
  }
  return OkStatus();
}

Result<std::map<std::string, NetworkSize>> Sizes(
    const TaxStudyOptions& options, const std::vector<NetworkFile>& models) {
  std::map<std::string, NetworkSize> sizes;
  for (const NetworkFile& model : models) {
    STINT_ASSIGN_OR_RETURN(sizes[model.name],
                           SizeOf(model.model, 1, options.sequences[0]));
  }
  return sizes;
}

PeerPointsOptions PointsOptions(const TaxStudyOptions& options) {
  PeerPointsOptions points;
  points.isa = options.isa;
  points.input_shapes = options.input_shapes;
  points.seed = options.seed;
  points.visit.seconds = options.seconds;
  points.visit.timeout_seconds = options.timeout_seconds;
  points.visit.profile_runs = kProfileRuns;
  points.peers_folder = options.peers_folder;
  points.stint_executable = options.stint_executable;
  return points;
}

}  // namespace

void FillTaxOptions(bool quick, TaxStudyOptions* options) {
  TaxStudyOptions& o = *options;
  if (quick) {
    Default({"mobilenetv2", "minilm"}, o.models.empty(), &o.models);
    Default({1, 2, 4, 8}, o.batches.empty(), &o.batches);
    Default({32}, o.sequences.empty(), &o.sequences);
  } else {
    Default({"resnet50", "mobilenetv2", "bert-base", "minilm",
             "encoder-L1-H256", "encoder-L4-H256", "encoder-L16-H128",
             "cnn-D1-W64", "cnn-D4-W64", "cnn-D16-W32"},
            o.models.empty(), &o.models);
    Default({1, 2, 4, 8, 16, 32, 64, 128}, o.batches.empty(), &o.batches);
    Default({128, 1, 8, 32, 64}, o.sequences.empty(), &o.sequences);
  }
  Default(quick ? kLeastForInterval : 10, o.rounds == 0, &o.rounds);
  Default(quick ? 0.05 : 1.0, o.seconds == 0, &o.seconds);
  // Large against what one of our steps costs, small against a run.
  Default(100.0, o.delay_us == 0, &o.delay_us);
}

Result<TaxReport> RunTaxStudy(const TaxStudyOptions& options,
                              const StudyProgress& progress) {
  STINT_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::Make());
  STINT_ASSIGN_OR_RETURN(
      StudyDatabase database,
      StudyDatabase::Open(options.database.empty()
                              ? JoinPath(folder.path(), "tax.db")
                              : options.database));
  STINT_ASSIGN_OR_RETURN(auto models, OpenModels(options, folder.path()));
  Study study;
  study.name = "framework-tax";
  study.definition = Definition(options);
  study.conditions = Conditions(options, models);
  study.treatments = Treatments(options);
  study.rounds = options.rounds;
  study.seed = options.seed;
  study = TakeShard(study, options.shard.number, options.shard.parts);
  if (!options.resume) {
    STINT_RETURN_IF_ERROR(CheckFresh(study, options.database, &database));
  }
  STINT_ASSIGN_OR_RETURN(PeerPoints points,
                         PeerPoints::Make(PointsOptions(options), study,
                                          folder.path(), &database));
  STINT_RETURN_IF_ERROR(AddModels(models, &points));
  STINT_ASSIGN_OR_RETURN(const auto sizes, Sizes(options, models));
  models.clear();  // their weights are in the files
  const auto run = [&](const Point& point) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(Outcome outcome, points.Run(point));
    const NetworkSize& size = sizes.at(ValueOf(point.condition, "model"));
    outcome.samples[kMacsSample] = {static_cast<double>(size.macs)};
    outcome.samples[kNodesSample] = {static_cast<double>(size.nodes)};
    return outcome;
  };
  STINT_ASSIGN_OR_RETURN(const StudyCount count,
                         RunStudy(study, &database, run, progress));
  STINT_ASSIGN_OR_RETURN(TaxReport report, MakeTaxReport(study, &database));
  report.count = count;
  return report;
}

}  // namespace stint

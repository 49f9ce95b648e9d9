#include "lab/peers/peer_points.h"

#include <cstdlib>

#include "convert/data/npy.h"
#include "core/platform/file.h"
#include "lab/peers/compare_outputs.h"
#include "stint/convert.h"

namespace stint {
namespace {

int64_t NumberOf(const Setting& setting, const std::string& axis) {
  return std::strtoll(ValueOf(setting, axis).c_str(), nullptr, 10);
}

// Outputs as files of an outcome: "0 name" so that their order is kept.
Status KeepOutputs(const std::vector<NamedValue>& outputs, Outcome* outcome) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    STINT_ASSIGN_OR_RETURN(outcome->files["output " + std::to_string(i)],
                           EncodeNpy(outputs[i].value.tensor()));
    outcome->facts["output " + std::to_string(i)] = outputs[i].name;
  }
  return OkStatus();
}

Result<std::vector<NamedValue>> KeptOutputs(const Outcome& outcome) {
  std::vector<NamedValue> outputs;
  for (size_t i = 0; i < outcome.files.size(); ++i) {
    const std::string key = "output " + std::to_string(i);
    STINT_ASSIGN_OR_RETURN(Tensor tensor, DecodeNpy(outcome.files.at(key)));
    outputs.push_back({outcome.facts.at(key), std::move(tensor)});
  }
  return outputs;
}

// A run without kernels has no outputs worth comparing.
bool IsCompared(const Point& point) {
  return !ValueOf(point.treatment, "runtime").ends_with(":null");
}

}  // namespace

Setting PeerTreatment(const std::string& runtime, const std::string& precision,
                      int entry) {
  return {{"runtime", runtime},
          {"precision", precision},
          {"entry", std::to_string(entry)}};
}

Result<PeerPoints> PeerPoints::Make(const PeerPointsOptions& options,
                                    const Study& study,
                                    const std::string& folder,
                                    StudyDatabase* database) {
  PeerPoints points(options, study, folder, database);
  STINT_RETURN_IF_ERROR(points.FindPrograms());
  STINT_RETURN_IF_ERROR(MakeDirectories(JoinPath(folder, "outputs")));
  return points;
}

Status PeerPoints::FindPrograms() {
  for (const Setting& treatment : study_->treatments) {
    const std::string runtime = ValueOf(treatment, "runtime");
    STINT_ASSIGN_OR_RETURN(
        programs_[runtime],
        FindPeer(runtime.substr(0, runtime.find(':')), options_.peers_folder,
                 options_.stint_executable));
  }
  return OkStatus();
}

Status PeerPoints::AddModel(const std::string& name, const std::string& path,
                            const Model& model) {
  ModelFiles& files = models_[name];
  files = {path, path};
  bool foreign = false;
  for (const auto& [runtime, program] : programs_) {
    foreign = foreign || program.name != "stint";
  }
  if (DirectoryExists(path) && foreign) {
    files.for_peers =
        JoinPath(folder_, "model" + std::to_string(models_.size()) + ".onnx");
    STINT_RETURN_IF_ERROR(ExportOnnx(model, files.for_peers).status());
  }
  for (const Setting& condition : study_->conditions) {
    if (ValueOf(condition, "model") != name) continue;
    STINT_RETURN_IF_ERROR(WriteInputs(model, condition));
  }
  return OkStatus();
}

Status PeerPoints::WriteInputs(const Model& model, const Setting& condition) {
  std::vector<PeerInput>& inputs = inputs_[ToString(condition)];
  InputSizes sizes;
  sizes.batch = NumberOf(condition, "batch");
  sizes.shapes = options_.input_shapes;
  if (!ValueOf(condition, "seq").empty()) {
    sizes.sequence = NumberOf(condition, "seq");
  }
  STINT_ASSIGN_OR_RETURN(const auto values,
                         MakeInputs(model, sizes, options_.seed));
  for (const NamedValue& value : values) {
    const Tensor& tensor = value.value.tensor();
    const std::string file =
        JoinPath(folder_, "input_" + std::to_string(inputs_.size()) + "_" +
                              std::to_string(inputs.size()) + ".npy");
    STINT_RETURN_IF_ERROR(WriteNpy(file, tensor));
    inputs.push_back({value.name, std::string(DTypeName(tensor.dtype())),
                      tensor.shape(), file});
  }
  return OkStatus();
}

Result<std::vector<NamedValue>> PeerPoints::Reference(
    const Setting& condition) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database_->StudyId(*study_));
  for (const Setting& treatment : study_->treatments) {
    const auto outcome = database_->Find(id, {0, condition, treatment});
    if (!outcome.ok() || !outcome->ok() || outcome->files.empty()) continue;
    return KeptOutputs(*outcome);
  }
  return std::vector<NamedValue>();
}

Status PeerPoints::Check(const Point& point,
                         const std::vector<NamedValue>& outputs,
                         Outcome* outcome) {
  const std::string precision = ValueOf(point.treatment, "precision");
  STINT_ASSIGN_OR_RETURN(const auto reference, Reference(point.condition));
  if (reference.empty()) {
    if (precision != "fp32") {
      outcome->reason = "not compared: no fp32 row before it";
      return OkStatus();
    }
    outcome->samples["max_difference"] = {0};
    outcome->samples["relative_error"] = {0};
    return KeepOutputs(outputs, outcome);
  }
  const auto difference = CompareOutputs(outputs, reference);
  if (!difference.ok()) {
    outcome->status = "wrong";
    outcome->reason = difference.status().message();
    return OkStatus();
  }
  outcome->samples["max_difference"] = {difference->max_difference};
  outcome->samples["relative_error"] = {difference->relative_error};
  const Status same = CheckDifference(*difference, precision);
  if (!same.ok()) {
    outcome->status = "wrong";
    outcome->reason = same.message();
  }
  return OkStatus();
}

Result<Outcome> PeerPoints::Run(const Point& point) {
  const std::string runtime = ValueOf(point.treatment, "runtime");
  const PeerProgram& program = programs_.at(runtime);
  const ModelFiles& files = models_.at(ValueOf(point.condition, "model"));
  PeerLoad load;
  load.model = program.name == "stint" ? files.own : files.for_peers;
  load.threads = static_cast<int>(NumberOf(point.condition, "threads"));
  load.precision = ValueOf(point.treatment, "precision");
  if (const size_t colon = runtime.find(':'); colon != std::string::npos) {
    load.mode = runtime.substr(colon + 1);
  }
  load.isa = options_.isa;
  load.device = options_.device;
  load.primitive = options_.primitive;
  load.schedule = options_.schedule;
  load.cache = folder_;
  load.inputs = inputs_.at(ToString(point.condition));
  VisitOptions visit_options = options_.visit;
  if (point.round == 0) {
    visit_options.seconds = 0;
    visit_options.profile_runs = 0;
    visit_options.energy = nullptr;
    visit_options.outputs_folder = JoinPath(folder_, "outputs");
  }
  PeerVisit visit = VisitPeer(program, load, visit_options);
  if (point.round == 0 && visit.outcome.ok() && IsCompared(point)) {
    STINT_RETURN_IF_ERROR(Check(point, visit.outputs, &visit.outcome));
  }
  return visit.outcome;
}

}  // namespace stint

#include "lab/bench/bench_points.h"

#include <cstdlib>

#include "convert/data/npy.h"
#include "core/platform/file.h"
#include "lab/peers/compare_outputs.h"
#include "lab/peers/make_inputs.h"
#include "lab/peers/visit_peer.h"
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

}  // namespace

Result<BenchPoints> BenchPoints::Make(const BenchOptions& options,
                                      const Model& model, const Study& study,
                                      const std::string& folder,
                                      StudyDatabase* database) {
  BenchPoints points(options, study, folder, database);
  STINT_RETURN_IF_ERROR(points.FindPrograms());
  STINT_RETURN_IF_ERROR(points.ExportForPeers(model));
  for (const Setting& condition : study.conditions) {
    STINT_RETURN_IF_ERROR(points.WriteInputs(model, condition));
  }
  STINT_RETURN_IF_ERROR(MakeDirectories(JoinPath(folder, "outputs")));
  return points;
}

Status BenchPoints::FindPrograms() {
  for (const Setting& treatment : study_->treatments) {
    const std::string name = ValueOf(treatment, "runtime");
    STINT_ASSIGN_OR_RETURN(
        programs_[name],
        FindPeer(name, options_.peers_folder, options_.stint_executable));
  }
  return OkStatus();
}

Status BenchPoints::ExportForPeers(const Model& model) {
  model_for_peers_ = options_.model;
  if (!DirectoryExists(options_.model) || options_.against.empty()) {
    return OkStatus();
  }
  model_for_peers_ = JoinPath(folder_, "model.onnx");
  return ExportOnnx(model, model_for_peers_).status();
}

Status BenchPoints::WriteInputs(const Model& model, const Setting& condition) {
  std::vector<PeerInput>& inputs = inputs_[ToString(condition)];
  InputSizes sizes;
  sizes.batch = NumberOf(condition, "batch");
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

Result<std::vector<NamedValue>> BenchPoints::Reference(
    const Setting& condition) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database_->StudyId(*study_));
  for (const Setting& treatment : study_->treatments) {
    const auto outcome = database_->Find(id, {0, condition, treatment});
    if (!outcome.ok() || !outcome->ok() || outcome->files.empty()) continue;
    return KeptOutputs(*outcome);
  }
  return std::vector<NamedValue>();
}

Status BenchPoints::Check(const Point& point,
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

Result<Outcome> BenchPoints::Run(const Point& point) {
  const std::string runtime = ValueOf(point.treatment, "runtime");
  PeerLoad load;
  load.model = runtime == "stint" ? options_.model : model_for_peers_;
  load.threads = static_cast<int>(NumberOf(point.condition, "threads"));
  load.precision = ValueOf(point.treatment, "precision");
  load.isa = options_.isa;
  load.primitive = options_.primitive;
  load.cache = folder_;
  load.inputs = inputs_.at(ToString(point.condition));
  VisitOptions visit_options;
  visit_options.seconds = point.round == 0 ? 0 : options_.seconds;
  visit_options.timeout_seconds = options_.timeout_seconds;
  visit_options.cold = options_.cold;
  if (point.round == 0) {
    visit_options.outputs_folder = JoinPath(folder_, "outputs");
  }
  PeerVisit visit = VisitPeer(programs_.at(runtime), load, visit_options);
  if (point.round == 0 && visit.outcome.ok()) {
    STINT_RETURN_IF_ERROR(Check(point, visit.outputs, &visit.outcome));
  }
  return visit.outcome;
}

}  // namespace stint

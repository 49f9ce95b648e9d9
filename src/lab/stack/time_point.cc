#include "lab/stack/time_point.h"

#include <charconv>

#include "convert/data/npy.h"
#include "core/meter/statistics.h"
#include "core/platform/file.h"
#include "lab/peers/make_inputs.h"
#include "lab/peers/visit_peer.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_commands.h"
#include "lab/stack/stack_compute.h"
#include "stint/convert.h"

namespace stint {
namespace {

// Long beside a time slice of the scheduler, short beside what drifts.
constexpr double kBlockSeconds = 0.08;
// Of the runs of a block: the rest is disturbed by others.
constexpr double kLowQuantile = 0.1;
constexpr uint64_t kSeed = 1;

}  // namespace

Result<PeerLoad> StackPeerLoad(const Point& point, const std::string& file) {
  PeerLoad load;
  load.model = file;
  load.threads = 0;  // all
  load.schedule = ValueOf(point.treatment, "code");
  const std::string primitive = ValueOf(point.treatment, "primitive");
  if (primitive != "auto") load.primitive = primitive;
  if (IsBf16(ValueOf(point.treatment, "compression"))) load.precision = "bf16";
  STINT_ASSIGN_OR_RETURN(
      const std::vector<std::string> words,
      StackComputeOptions(ValueOf(point.condition, "compute")));
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1];
    if (words[i] == "--isa") load.isa = value;
    if (words[i] == "--device") load.device = value;
    if (words[i] == "--threads") {
      std::from_chars(value.data(), value.data() + value.size(), load.threads);
    }
  }
  return load;
}

Result<std::vector<PeerInput>> PointTimer::InputsOf(const std::string& path) {
  auto [entry, fresh] = inputs_.try_emplace(path);
  if (!fresh) return entry->second;
  STINT_ASSIGN_OR_RETURN(const Model model, ImportModel(path));
  STINT_ASSIGN_OR_RETURN(const auto values, MakeInputs(model, {}, kSeed));
  for (const NamedValue& value : values) {
    const Tensor& tensor = value.value.tensor();
    const std::string file =
        JoinPath(folder_, "input_" + std::to_string(inputs_.size()) + "_" +
                              std::to_string(entry->second.size()) + ".npy");
    STINT_RETURN_IF_ERROR(WriteNpy(file, tensor));
    entry->second.push_back({value.name, std::string(DTypeName(tensor.dtype())),
                             tensor.shape(), file});
  }
  return entry->second;
}

Result<Outcome> PointTimer::Time(const Point& point, const std::string& file) {
  STINT_ASSIGN_OR_RETURN(PeerLoad load, StackPeerLoad(point, file));
  STINT_ASSIGN_OR_RETURN(
      load.inputs,
      InputsOf(FileOfModel(options_, ValueOf(point.condition, "model"))));
  VisitOptions options;
  options.seconds = kBlockSeconds;
  options.timeout_seconds = options_.timeout_seconds;
  PeerProgram program = {"stint", StackProgram(options_, point, file)};
  program.command.emplace_back("peer");
  const Outcome visit = VisitPeer(program, load, options).outcome;
  Outcome outcome;
  outcome.status = visit.status;
  outcome.reason = visit.reason;
  if (const auto runs = visit.samples.find("run_ms");
      outcome.ok() && runs != visit.samples.end()) {
    outcome.samples[kBlockSample] = {Quantile(runs->second, kLowQuantile)};
    outcome.samples["block_runs"] = {static_cast<double>(runs->second.size())};
  }
  return outcome;
}

}  // namespace stint

#include "lab/peers/peer_client.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace stint {
namespace {

using Json = nlohmann::json;

// A process that has closed its output gets this long to end by itself.
constexpr double kEndSeconds = 5;

// The last line of what a process wrote to standard error, for a message.
std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Status AnsweredError(const Json& answer) {
  const std::string kind = answer.value("kind", "failed");
  const std::string error = answer.value("error", "no reason given");
  if (kind == "missing") return NotFound(error);
  if (kind == "unsupported") return Unsupported(error);
  return InternalError(error);
}

// Throws Json::exception on a wrong type; see Decode.
PeerRun ReadRun(const Json& answer) {
  PeerRun run;
  run.times_ms = answer.at("times_ms").get<std::vector<double>>();
  run.cpu_ms = answer.at("cpu_ms").get<double>();
  run.peak_rss_bytes = answer.at("peak_rss_bytes").get<int64_t>();
  for (const Json& output : answer.value("outputs", Json::array())) {
    run.outputs.push_back({output.at("name").get<std::string>(),
                           output.at("file").get<std::string>()});
  }
  return run;
}

// What `read` takes out of an answer; an answer without it is damaged.
template <typename Read>
auto Decode(const std::string& text, const std::string& name, Read read)
    -> Result<decltype(read(Json()))> {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    return Damaged(name +
                   ": answer does not keep to the protocol: " + error.what());
  }
}

Json ToJson(const PeerLoad& load) {
  Json inputs = Json::array();
  for (const PeerInput& input : load.inputs) {
    inputs.push_back({{"name", input.name},
                      {"dtype", input.dtype},
                      {"shape", input.shape},
                      {"file", input.file}});
  }
  return {{"op", "load"},
          {"model", load.model},
          {"threads", load.threads},
          {"precision", load.precision},
          {"mode", load.mode},
          {"isa", load.isa},
          {"device", load.device},
          {"primitive", load.primitive},
          {"schedule", load.schedule},
          {"cache", load.cache},
          {"inputs", inputs}};
}

}  // namespace

Result<PeerClient> PeerClient::Start(const PeerProgram& program,
                                     double timeout_seconds) {
  STINT_ASSIGN_OR_RETURN(Process process, Process::Start(program.command));
  return PeerClient(program.name, std::move(process), timeout_seconds);
}

Status PeerClient::Died() {
  const ProcessExit exit = process_.Wait(kEndSeconds);
  const std::string words = LastLine(process_.ErrorTail(2000));
  return IoError(exit.ToString() + (words.empty() ? "" : ": " + words));
}

Result<std::string> PeerClient::Ask(const std::string& request) {
  if (!process_.WriteLine(request).ok()) return Died();
  const auto line = process_.ReadLine(timeout_seconds_);
  if (!line.ok() && line.status().code() == StatusCode::kCancelled) {
    process_.Kill();
    const auto seconds = static_cast<int64_t>(std::ceil(timeout_seconds_));
    return Cancelled("no answer within " + std::to_string(seconds) + " s");
  }
  if (!line.ok()) return Died();
  const Json answer = Json::parse(*line, nullptr, false);
  if (!answer.is_object() || !answer.contains("ok") ||
      !answer["ok"].is_boolean()) {
    return Damaged(name_ + ": answer does not keep to the protocol: " +
                   line->substr(0, 200));
  }
  if (!answer["ok"].get<bool>()) return AnsweredError(answer);
  return *line;
}

Result<PeerDescription> PeerClient::Describe() {
  STINT_ASSIGN_OR_RETURN(const std::string answer, Ask(R"({"op":"describe"})"));
  return Decode(answer, name_, [](const Json& json) {
    return PeerDescription{json.at("runtime").get<std::string>(),
                           json.at("version").get<std::string>()};
  });
}

Result<double> PeerClient::Load(const PeerLoad& load) {
  STINT_ASSIGN_OR_RETURN(const std::string answer, Ask(ToJson(load).dump()));
  return Decode(answer, name_, [](const Json& json) {
    return json.at("load_ms").get<double>();
  });
}

Result<PeerRun> PeerClient::Run(int64_t runs, const std::string& outputs_folder,
                                int64_t keep) {
  Json request = {{"op", "run"}, {"runs", runs}};
  if (!outputs_folder.empty()) request["outputs"] = outputs_folder;
  if (keep > 0) request["keep"] = keep;
  STINT_ASSIGN_OR_RETURN(const std::string answer, Ask(request.dump()));
  return Decode(answer, name_, ReadRun);
}

Result<PeerProfile> PeerClient::Profile(int64_t runs) {
  const Json request = {{"op", "profile"}, {"runs", runs}};
  STINT_ASSIGN_OR_RETURN(const std::string answer, Ask(request.dump()));
  return Decode(answer, name_, [](const Json& json) {
    return PeerProfile{json.at("times_ms").get<std::vector<double>>(),
                       json.at("kernel_ms").get<std::vector<double>>(),
                       json.at("kernels").get<int64_t>()};
  });
}

Status PeerClient::Close() {
  STINT_RETURN_IF_ERROR(Ask(R"({"op":"close"})").status());
  process_.CloseInput();
  const ProcessExit exit = process_.Wait(kEndSeconds);
  if (!exit.ok()) return IoError("at its end: " + exit.ToString());
  return OkStatus();
}

}  // namespace stint

// stint peer: the line protocol of peers/ on standard input and output.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/options/run_options.h"
#include "cli/terminal/version.h"
#include "convert/data/npy.h"
#include "core/base/quantity.h"
#include "core/meter/stopwatch.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "lab/record/words.h"

namespace stint::cli {
namespace {

// What a request or a loaded model gives; reading a missing or wrong key throws
// Json::exception, which Answer turns into an error answer.
class PeerServer {
 public:
  Json Answer(const std::string& line) {
    const Json request = Json::parse(line, nullptr, false);
    try {
      auto answer = Dispatch(request);
      if (answer.ok()) {
        Json json = {{"ok", true}};
        json.update(*answer);
        return json;
      }
      return Error(answer.status());
    } catch (const Json::exception& error) {
      return Error(InvalidArgument(std::string("request: ") + error.what()));
    }
  }
  bool closed() const { return closed_; }

 private:
  static Json Error(const Status& status) {
    const bool unsupported = status.code() == StatusCode::kUnsupported;
    return {{"ok", false},
            {"kind", unsupported ? "unsupported" : "failed"},
            {"error", status.message()}};
  }

  Result<Json> Dispatch(const Json& request) {
    const std::string op = request.at("op").get<std::string>();
    if (op == "describe") return Describe();
    if (op == "load") return Load(request);
    if (op == "run") return Run(request);
    if (op == "profile") return Profile(request);
    if (op != "close") return InvalidArgument("unknown op '" + op + "'");
    closed_ = true;
    return Json::object();
  }

  static Result<Json> Describe() {
    return Json{{"runtime", "stint"},
                {"version", Version()},
                {"precisions", PrecisionWordsWithAuto()}};
  }

  Result<Json> Load(const Json& request) {
    inputs_.clear();
    for (const Json& input : request.at("inputs")) {
      STINT_ASSIGN_OR_RETURN(Tensor tensor,
                             ReadNpy(input.at("file").get<std::string>()));
      inputs_.push_back({input.at("name").get<std::string>(), tensor});
    }
    const Stopwatch watch;
    STINT_ASSIGN_OR_RETURN(Session session, MakeSession(request, false));
    session_.emplace(std::move(session));
    load_ = request;
    return Json{{"load_ms", watch.wall_ms()}};
  }

  // The value that `parse` finds for a name; kInvalidArgument where it has
  // none.
  template <typename T>
  static Result<T> Named(const std::string& what, const std::string& name,
                         std::optional<T> (*parse)(std::string_view)) {
    if (const auto value = parse(name)) return *value;
    return InvalidArgument(what + " '" + name + "' is not known");
  }

  static Result<Session> MakeSession(const Json& load, bool profile) {
    SessionOptions options;
    STINT_ASSIGN_OR_RETURN(
        options.precision,
        Named("precision", load.at("precision").get<std::string>(),
              ParsePrecision));
    LabOptions& lab = options.lab;
    lab.primitive = load.value("primitive", std::string());
    STINT_ASSIGN_OR_RETURN(
        lab.schedule,
        Named(
            "schedule",
            load.value("schedule", std::string(ScheduleModeName(lab.schedule))),
            ParseScheduleMode));
    options.device = load.value("device", std::string());
    options.profile = profile;
    STINT_RETURN_IF_ERROR(SetMode(load.value("mode", std::string()), &lab));
    RuntimeOptions machine;
    machine.threads = load.at("threads").get<int>();
    const std::string isa = load.value("isa", std::string());
    if (!isa.empty()) {
      STINT_ASSIGN_OR_RETURN(machine.isa, Named("isa", isa, ParseIsa));
    }
    STINT_ASSIGN_OR_RETURN(const Runtime runtime, Runtime::Create(machine));
    STINT_ASSIGN_OR_RETURN(Model model,
                           ImportModel(load.at("model").get<std::string>()));
    return Session::Create(std::move(model), runtime, options);
  }

  // "null": every step, no kernel. "delay=50us": so much after each step.
  static Status SetMode(const std::string& mode, LabOptions* options) {
    constexpr std::string_view kDelay = "delay=";
    options->null_kernels = mode == "null";
    if (mode.starts_with(kDelay)) {
      STINT_ASSIGN_OR_RETURN(const int64_t ns,
                             ParseDurationNs(mode.substr(kDelay.size())));
      options->step_delay_us = static_cast<double>(ns) * 1e-3;
      return OkStatus();
    }
    if (mode.empty() || mode == "null") return OkStatus();
    return Unsupported("mode '" + mode + "', expected null or delay=TIME");
  }

  // In a session of its own, so that watching it costs the timed one nothing.
  Result<Json> Profile(const Json& request) {
    if (!session_) return InvalidArgument("profile before load");
    if (load_.value("mode", std::string()) == "null") {
      return Unsupported("null kernels take no time");
    }
    STINT_ASSIGN_OR_RETURN(Session session, MakeSession(load_, true));
    STINT_RETURN_IF_ERROR(session.Run(inputs_).status());
    std::vector<double> times, kernels;
    for (int64_t i = 0; i < request.at("runs").get<int64_t>(); ++i) {
      const Stopwatch watch;
      STINT_RETURN_IF_ERROR(session.Run(inputs_).status());
      times.push_back(watch.wall_ms());
      double us = 0;
      for (const StepTime& step : session.StepTimes()) {
        us += step.end_us - step.start_us;
      }
      kernels.push_back(us * 1e-3);
    }
    return Json{{"times_ms", times},
                {"kernel_ms", kernels},
                {"kernels", session.StepTimes().size()}};
  }

  Result<Json> Run(const Json& request) {
    if (!session_) return InvalidArgument("run before load");
    const auto runs = request.at("runs").get<int64_t>();
    std::vector<double> times;
    std::vector<NamedValue> first;
    const Stopwatch total;
    for (int64_t i = 0; i < runs; ++i) {
      const Stopwatch watch;
      auto outputs = session_->Run(inputs_);
      times.push_back(watch.wall_ms());
      if (!outputs.ok()) return outputs.status();
      if (i == 0) first = std::move(*outputs);
    }
    Json answer = {{"times_ms", Spread(times, request.value("keep", runs))},
                   {"cpu_ms", total.cpu_ms()},
                   {"peak_rss_bytes", PeakResidentBytes()}};
    if (request.contains("outputs")) {
      STINT_ASSIGN_OR_RETURN(
          answer["outputs"],
          WriteOutputs(first, request["outputs"].get<std::string>()));
    }
    return answer;
  }

  // At most `most` of the times, evenly spread.
  static std::vector<double> Spread(const std::vector<double>& times,
                                    int64_t most) {
    const auto count = static_cast<int64_t>(times.size());
    const auto limit = std::max<int64_t>(1, most);
    const int64_t step = std::max<int64_t>(1, (count + limit - 1) / limit);
    std::vector<double> kept;
    for (int64_t i = 0; i < count; i += step) {
      kept.push_back(times[static_cast<size_t>(i)]);
    }
    return kept;
  }

  static Result<Json> WriteOutputs(const std::vector<NamedValue>& outputs,
                                   const std::string& folder) {
    Json written = Json::array();
    for (const NamedValue& output : outputs) {
      if (!output.value.is_tensor()) {
        return Unsupported("output '" + output.name + "' is no tensor");
      }
      const std::string file =
          JoinPath(folder, "output_" + std::to_string(written.size()) + ".npy");
      STINT_RETURN_IF_ERROR(WriteNpy(file, output.value.tensor()));
      written.push_back({{"name", output.name}, {"file", file}});
    }
    return written;
  }

  std::vector<NamedValue> inputs_;
  std::optional<Session> session_;
  Json load_;  // the request that made the session
  bool closed_ = false;
};

int RunPeer() {
  PeerServer server;
  std::string line;
  while (!server.closed() && std::getline(std::cin, line)) {
    PrintJson(server.Answer(line));
    std::fflush(stdout);
  }
  return kExitOk;
}

}  // namespace

void AddPeerCommand(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "peer", "Answer the line protocol of peers/README.md");
  command->footer(
      "Examples:\n"
      "  stint peer <<< '{\"op\": \"describe\"}'\n"
      "  stint peer < requests.jsonl    # one JSON object per line");
  command->callback([exit_code] { *exit_code = RunPeer(); });
}

}  // namespace stint::cli

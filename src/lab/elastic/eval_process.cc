#include "lab/elastic/eval_process.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace stint {
namespace {

using Json = nlohmann::json;

constexpr int kExitInfeasible = 4;
constexpr size_t kErrorBytes = 4096;
// For a process that has answered, to end.
constexpr double kEndSeconds = 30;

constexpr const char* kKeys[] = {
    "value",      "correct",        "total",      "predicted_ms", "run_ms_p50",
    "run_ms_p95", "peak_rss_bytes", "bytes_read", "cpu_ms",       "missed"};
constexpr const char* kPlanKeys[] = {"bits_mean", "stream_bytes",
                                     "preload_bytes"};

std::string LastLine(const std::string& text) {
  const size_t end = text.find_last_not_of("\r\n");
  if (end == std::string::npos) return "";
  const size_t begin = text.find_last_of("\r\n", end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

void TakeNumbers(const Json& json, std::span<const char* const> keys,
                 Outcome* outcome) {
  for (const char* key : keys) {
    if (const auto found = json.find(key);
        found != json.end() && found->is_number()) {
      outcome->samples[key] = {found->get<double>()};
    }
  }
}

std::string NumberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

Result<Outcome> RunCommand(const std::vector<std::string>& command,
                           double timeout_seconds) {
  STINT_ASSIGN_OR_RETURN(Process process, Process::Start(command));
  const auto line = process.ReadLine(timeout_seconds);
  if (line.status().code() == StatusCode::kCancelled) {
    (void)process.Kill();
    Outcome outcome;
    outcome.status = "timeout";
    outcome.reason = "no answer in " + NumberText(timeout_seconds) + " s";
    return outcome;
  }
  const ProcessExit exit = process.Wait(kEndSeconds);
  return EvalOutcome(exit, line.ok() ? *line : "",
                     process.ErrorTail(kErrorBytes));
}

}  // namespace

Result<std::vector<std::string>> ComputeOptions(const std::string& compute) {
  if (compute == "all") return std::vector<std::string>();
  const size_t dash = compute.find('-');
  const size_t word = compute.find("thread");
  if (dash != std::string::npos && word != std::string::npos && dash < word) {
    const std::string threads = compute.substr(dash + 1, word - dash - 1);
    int number = 0;
    const auto [rest, error] = std::from_chars(
        threads.data(), threads.data() + threads.size(), number);
    if (error == std::errc() && rest == threads.data() + threads.size() &&
        number > 0) {
      return std::vector<std::string>{"--isa", compute.substr(0, dash),
                                      "--threads", threads};
    }
  }
  return InvalidArgument("compute '" + compute +
                         "', expected all or ISA-Nthread, as in avx2-1thread");
}

Result<std::vector<std::string>> EvalCommand(const ElasticStudyOptions& options,
                                             const Point& point) {
  std::vector<std::string> command = {options.stint_executable,
                                      "eval",
                                      ValueOf(point.condition, "model"),
                                      "--task",
                                      options.task,
                                      "--data",
                                      options.data,
                                      "--format",
                                      "json",
                                      "--right"};
  const auto add = [&](const char* option, const std::string& value) {
    if (value == kNoLimit) return;
    command.emplace_back(option);
    command.push_back(value);
  };
  for (const char* axis : {"latency", "memory", "storage"}) {
    add(("--" + std::string(axis)).c_str(), ValueOf(point.condition, axis));
  }
  const std::string policy = ValueOf(point.treatment, "policy");
  add("--policy", policy);
  if (policy.ends_with(":32")) {
    const auto model = std::find(options.models.begin(), options.models.end(),
                                 ValueOf(point.condition, "model"));
    const auto at = static_cast<size_t>(model - options.models.begin());
    if (at < options.fulls.size()) add("--full", options.fulls[at]);
  }
  add("--percentile", NumberText(options.percentile));
  if (options.max_length > 0) {
    add("--max-length", std::to_string(options.max_length));
    command.emplace_back("--pad");
  }
  if (options.rows > 0) add("--rows", std::to_string(options.rows));
  STINT_ASSIGN_OR_RETURN(const auto compute,
                         ComputeOptions(ValueOf(point.condition, "compute")));
  command.insert(command.end(), compute.begin(), compute.end());
  return command;
}

Outcome EvalOutcome(const ProcessExit& exit, const std::string& answer,
                    const std::string& errors) {
  Outcome outcome;
  outcome.samples["exit_code"] = {static_cast<double>(exit.code)};
  if (!exit.ok()) {
    outcome.status = exit.signal != 0               ? "crashed"
                     : exit.code == kExitInfeasible ? "infeasible"
                                                    : "failed";
    outcome.reason = LastLine(errors);
    if (outcome.reason.empty()) outcome.reason = exit.ToString();
    return outcome;
  }
  const Json json = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("value")) {
    outcome.status = "failed";
    outcome.reason = "answered '" + answer.substr(0, 80) + "', expected JSON";
    return outcome;
  }
  TakeNumbers(json, kKeys, &outcome);
  if (const auto plan = json.find("plan"); plan != json.end()) {
    TakeNumbers(*plan, kPlanKeys, &outcome);
  }
  if (const auto metric = json.find("metric");
      metric != json.end() && metric->is_string()) {
    outcome.facts["metric"] = metric->get<std::string>();
  }
  if (const auto right = json.find("right");
      right != json.end() && right->is_string()) {
    outcome.files[kRightFile] = right->get<std::string>();
  }
  return outcome;
}

PointRunner EvalInProcesses(const ElasticStudyOptions& options) {
  return [options](const Point& point) -> Result<Outcome> {
    STINT_ASSIGN_OR_RETURN(const auto command, EvalCommand(options, point));
    return RunCommand(command, options.timeout_seconds);
  };
}

}  // namespace stint

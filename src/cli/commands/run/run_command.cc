// stint run: one question, or a file of them.

#include <CLI/CLI.hpp>
#include <fstream>

#include "cli/commands/commands.h"
#include "cli/commands/run/run_parts.h"
#include "cli/options/budget_options.h"
#include "cli/options/energy_options.h"
#include "cli/options/image_options.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "convert/data/image/image.h"
#include "convert/data/npy.h"
#include "convert/onnx/tensor_reader.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "lab/record/model_record.h"
#include "lab/record/plan_record.h"

namespace stint::cli {
namespace {

// Shorter phases are not worth a word.
constexpr double kWorthSayingMs = 0.01;

struct RunCommandOptions {
  ModelOptions model;
  RunOptions run;
  std::string text, text_pair, image, batch_file, output_dir;
  std::string profile;              // file for a trace; empty: none
  std::vector<std::string> inputs;  // name=file
  TextOptions text_options;
  ImageOptions image_options;
  BudgetOptions budget;
  EnergyFlags energy;
};

// One question: text, picture or tensors.
struct Question {
  std::string text;
  std::optional<std::string> pair;
  std::string image;
  std::vector<std::string> inputs;
};

Result<Tensor> ReadTensor(const std::string& path) {
  return path.ends_with(".pb") ? onnx::ReadTensorFile(path) : ReadNpy(path);
}

Result<std::vector<NamedValue>> ReadInputs(
    const std::vector<std::string>& specs) {
  std::vector<NamedValue> inputs;
  for (const std::string& spec : specs) {
    const size_t equals = spec.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--input " + spec + ", expected name=file.npy");
    }
    STINT_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(spec.substr(equals + 1)));
    inputs.push_back({spec.substr(0, equals), std::move(tensor)});
  }
  return inputs;
}

Result<std::vector<NamedValue>> Ask(const Question& question,
                                    const RunCommandOptions& options,
                                    Session* session) {
  if (!question.image.empty()) {
    STINT_ASSIGN_OR_RETURN(const Image image, ReadImage(question.image));
    STINT_ASSIGN_OR_RETURN(
        Tensor pixels,
        Preprocess(std::span(&image, 1), options.image_options.PreprocessingFor(
                                             session->model_info())));
    if (session->model_info().inputs.empty()) {
      return InvalidArgument("the model has no input");
    }
    return session->Run({{session->model_info().inputs[0].name, pixels}});
  }
  if (!question.inputs.empty()) {
    STINT_ASSIGN_OR_RETURN(const auto inputs, ReadInputs(question.inputs));
    return session->Run(inputs);
  }
  std::optional<std::string_view> pair;
  if (question.pair) pair = *question.pair;
  return session->RunText(question.text, pair, options.text_options);
}

Status WriteOutputs(const std::vector<NamedValue>& outputs,
                    const std::string& folder) {
  STINT_RETURN_IF_ERROR(MakeDirectories(folder));
  for (const NamedValue& output : outputs) {
    if (!output.value.is_tensor()) continue;
    std::string name = output.name;
    std::replace(name.begin(), name.end(), '/', '_');
    STINT_RETURN_IF_ERROR(
        WriteNpy(JoinPath(folder, name + ".npy"), output.value.tensor()));
  }
  return OkStatus();
}

Json OutputsJson(const std::vector<NamedValue>& outputs) {
  Json list = Json::array();
  for (const NamedValue& output : outputs) {
    list.push_back({{"name", output.name},
                    {"shape", output.value.is_tensor()
                                  ? Json(output.value.tensor().shape())
                                  : Json(nullptr)}});
  }
  return list;
}

void PrintAnswer(const Json& json, const std::vector<NamedValue>& outputs) {
  const Json& answer = json["answer"];
  if (answer.contains("label")) {
    Print("%s (%.4f)\n", answer["label"].get<std::string>().c_str(),
          answer["probability"].get<double>());
  } else if (answer.contains("score")) {
    Print("%.4f\n", answer["score"].get<double>());
  }
  for (const NamedValue& output : outputs) {
    if (!output.value.is_tensor()) continue;
    const Tensor& tensor = output.value.tensor();
    Print("%s %s%s", output.name.c_str(),
          std::string(DTypeName(tensor.dtype())).c_str(),
          ToString(tensor.shape()).c_str());
    for (int64_t i = 0; i < tensor.size() && i < 6; ++i) {
      if (tensor.dtype() != DType::kFloat32) break;
      Print(" %.5f", static_cast<double>(tensor.data<float>()[i]));
    }
    Print("%s\n", tensor.size() > 6 ? " ..." : "");
  }
}

// What came before a question: how long the process lived when the command
// began, and what loading took.
struct Before {
  double start_ms = 0;
  double load_ms = 0;
};

// All that passed from the start of the process to the answer, but for earlier
// questions.
Json PhasesJson(const Before& before, double run_ms, const Session& session) {
  Json json = {{"start_ms", before.start_ms}, {"load_ms", before.load_ms}};
  if (!session.CurrentPlan().has_value()) {
    json["run_ms"] = run_ms;
    return json;
  }
  const RunPhases last = session.Counts().last;
  json["rehearse_ms"] = last.rehearse_ms;
  json["plan_ms"] = last.plan_ms;
  json["bind_ms"] = last.bind_ms;
  json["wait_ms"] = last.wait_ms;
  json["compute_ms"] = last.compute_ms;
  json["other_ms"] = run_ms - last.rehearse_ms - last.plan_ms - last.bind_ms -
                     last.wait_ms - last.compute_ms;
  return json;
}

std::string PhasesLine(const Json& phases) {
  std::string line;
  for (const auto& [key, name] : {std::pair("start_ms", "start"),
                                  {"load_ms", "load"},
                                  {"rehearse_ms", "rehearse"},
                                  {"plan_ms", "plan"},
                                  {"bind_ms", "bind"},
                                  {"wait_ms", "wait for storage"},
                                  {"compute_ms", "compute"},
                                  {"other_ms", "other"}}) {
    const double ms = phases.value(key, 0.0);
    if (ms < kWorthSayingMs) continue;
    line += std::string(line.empty() ? "" : ", ") + name + " " + FormatMs(ms);
  }
  return line;
}

void PrintCosts(const Json& json) {
  Print("load %s, run %s, wall %s, peak memory %s, %s\n",
        FormatMs(json["load_ms"]).c_str(), FormatMs(json["run_ms"]).c_str(),
        FormatMs(json["wall_ms"]).c_str(),
        FormatBytes(json["peak_rss_bytes"]).c_str(),
        json["precision"].get<std::string>().c_str());
  if (json.contains("plan")) {
    Print("phases: %s\n", PhasesLine(json["phases"]).c_str());
  }
}

// Asks the question again until a meter of energy has seen enough of it.
Result<Json> MeasureEnergy(const Question& question,
                           const RunCommandOptions& options, Session* session) {
  return options.energy.Measure([&]() -> Result<int64_t> {
    const int64_t start = NowNs();
    int64_t runs = 0;
    do {
      STINT_RETURN_IF_ERROR(Ask(question, options, session).status());
      ++runs;
    } while (MsSince(start) < kLeastBlockSeconds * 1e3);
    return runs;
  });
}

// Asks, writes and prints one question.
int Answer(const Question& question, const RunCommandOptions& options,
           const Before& before, Session* session) {
  const int64_t start = NowNs();
  const auto outputs = Ask(question, options, session);
  const double run_ms = MsSince(start);
  options.budget.EndPhase();
  if (!outputs.ok()) return Fail(outputs.status());
  if (!options.output_dir.empty()) {
    const Status written = WriteOutputs(*outputs, options.output_dir);
    if (!written.ok()) return Fail(written);
  }
  Json json;
  json["outputs"] = OutputsJson(*outputs);
  json["answer"] = AnswerOf(PackageOf(*session), *outputs);
  AddRecord(RunRecord{before.load_ms, run_ms, MsSinceProcessStart(),
                      PeakResidentBytes()},
            &json);
  json["phases"] = PhasesJson(before, run_ms, *session);
  json["precision"] = PrecisionName(session->precision());
  const auto trials = session->PrecisionTrials();
  if (!trials.empty()) json["precision_trials"] = TrialsJson(trials);
  const auto plan = session->CurrentPlan();
  if (plan) {
    AddRecord(KeptRecord::Of(session->Counts()), &json);
    json["plan"] = PlanJson(*plan);
  }
  if (options.energy.report) {
    auto energy = MeasureEnergy(question, options, session);
    if (!energy.ok()) return Fail(energy.status());
    json["energy"] = std::move(*energy);
  }
  if (options.run.json()) {
    PrintJson(json);
  } else {
    PrintAnswer(json, *outputs);
    PrintCosts(json);
    if (plan) PrintText(PlanLines(*plan));
    PrintText(KeptLines(*session));
    if (options.energy.report) PrintEnergy(json["energy"]);
  }
  return kExitOk;
}

Result<Question> ParseQuestion(const std::string& line, int number,
                               const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return InvalidArgument(file + ": line " + std::to_string(number) + ": " +
                           what);
  };
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return wrong("not a JSON object");
  Question question;
  for (const auto& [key, value] : json.items()) {
    if (key == "inputs" && value.is_object()) {
      for (const auto& [name, path] : value.items()) {
        if (!path.is_string()) return wrong("'inputs' maps names to files");
        question.inputs.push_back(name + "=" + path.get<std::string>());
      }
    } else if (!value.is_string()) {
      return wrong("'" + key + "' is not a string");
    } else if (key == "text") {
      question.text = value.get<std::string>();
    } else if (key == "text_pair") {
      question.pair = value.get<std::string>();
    } else if (key == "image") {
      question.image = value.get<std::string>();
    } else {
      return wrong("unknown key '" + key + "'");
    }
  }
  return question;
}

int AnswerFile(const RunCommandOptions& options, const Before& before,
               Session* session) {
  std::ifstream file(options.batch_file);
  if (!file) return Fail(NotFound(options.batch_file + ": cannot open"));
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const auto question = ParseQuestion(line, number, options.batch_file);
    if (!question.ok()) return Fail(question.status());
    const int code = Answer(*question, options, before, session);
    if (code != kExitOk) return code;
  }
  return kExitOk;
}

int SavePlan(const BudgetOptions& budget, const Session& session) {
  const Status saved = budget.SavePlan(session);
  return saved.ok() ? kExitOk : Fail(saved);
}

int RunRun(RunCommandOptions* options) {
  const int kinds =
      (options->text.empty() ? 0 : 1) + (options->image.empty() ? 0 : 1) +
      (options->inputs.empty() ? 0 : 1) + (options->batch_file.empty() ? 0 : 1);
  if (kinds != 1) {
    PrintError("stint: give one of --text, --image, --input, --batch-file\n");
    return kExitUsage;
  }
  Before before{MsSinceProcessStart()};
  const int64_t start = NowNs();
  auto model = options->budget.Open(options->model);
  if (!model.ok()) return Fail(model.status());
  options->budget.EndPhase();
  auto runtime = options->run.MakeRuntime();
  if (!runtime.ok()) return Fail(runtime.status());
  SessionOptions session_options = options->run.Session();
  session_options.profile = !options->profile.empty();
  const Status budget = options->budget.SetOn(&session_options);
  if (!budget.ok()) return Fail(budget);
  auto session = Session::Create(std::move(*model), *runtime, session_options);
  if (!session.ok()) return Fail(session.status());
  before.load_ms = MsSince(start);
  if (!options->batch_file.empty()) {
    const int code = AnswerFile(*options, before, &*session);
    PrintTrials(session->PrecisionTrials());
    ReportPrimitive(options->run.primitive, session->StepChoices());
    return code == kExitOk ? SavePlan(options->budget, *session) : code;
  }
  Question question;
  question.text = options->text;
  if (!options->text_pair.empty()) question.pair = options->text_pair;
  question.image = options->image;
  question.inputs = options->inputs;
  const int code = Answer(question, *options, before, &*session);
  PrintTrials(session->PrecisionTrials());
  ReportPrimitive(options->run.primitive, session->StepChoices());
  if (code != kExitOk) return code;
  if (!options->profile.empty()) {
    const Status written = WriteTrace(*session, options->profile);
    if (!written.ok()) return Fail(written);
  }
  return SavePlan(options->budget, *session);
}

}  // namespace

void AddRunCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = app->add_subcommand("run", "Ask a model one question");
  command->footer(
      "Examples:\n"
      "  stint run all-MiniLM-L6-v2/ --text \"A man is playing a guitar.\"\n"
      "  stint run model.onnx --input x=x.npy --output-dir out/\n"
      "  stint run model.onnx --input x=x.npy --precision auto   # the fastest "
      "that is near enough\n"
      "  stint run squeezenet.onnx --image cat.jpg --size 224 "
      "--channel-order bgr --mean 104,117,123");
  options->model.AddTo(command);
  command->add_option("--text", options->text, "A text");
  command->add_option("--text-pair", options->text_pair,
                      "Second text of a pair");
  command->add_option("--image", options->image, "A JPEG or PNG file");
  command->add_option("--input", options->inputs,
                      "name=file.npy (or .pb), once per input");
  command->add_option("--batch-file", options->batch_file,
                      "A .jsonl file with text, text_pair, image or inputs");
  command->add_option("--output-dir", options->output_dir,
                      "Write every output as <name>.npy");
  command->add_option("--profile", options->profile,
                      "Write a Chrome trace of the run's steps");
  command
      ->add_option("--max-length", options->text_options.max_length,
                   "Cut texts to this many tokens")
      ->check(CLI::Range(1, 65536));
  options->image_options.AddTo(command);
  options->run.AddTo(command);
  options->run.AddAutoPrecisionTo(command);
  options->run.AddPrimitiveTo(command);
  options->run.AddDeviceTo(command);
  options->budget.AddTo(command);
  options->energy.AddTo(command);
  command->callback(
      [options, exit_code] { *exit_code = RunRun(options.get()); });
}

}  // namespace stint::cli

// stint eval: accuracy of a model on a data set.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/options/budget_options.h"
#include "cli/options/energy_options.h"
#include "cli/options/image_options.h"
#include "cli/options/run_options.h"
#include "cli/options/task_option.h"
#include "cli/terminal/progress.h"
#include "convert/evaluate/evaluate_data.h"
#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "lab/record/eval_record.h"

namespace stint::cli {
namespace {

struct EvalCommandOptions {
  ModelOptions model;
  RunOptions run;
  EvalOptions eval;
  ImageOptions image;
  BudgetOptions budget;
  bool pad = false;
  int64_t calibrate = 64;  // rows
  std::string predictions;
  bool right = false;
  EnergyFlags energy;
};

// What `stint eval` answers with.
struct EvalAnswer {
  EvalRecord record;
  std::optional<PlanReport> plan;
  Json waits_ms;
};

EvalAnswer Answer(const EvalReport& report, const Session& session,
                  double cpu_ms) {
  EvalAnswer answer;
  EvalRecord& record = answer.record;
  record.metric = report.metric;
  record.value = report.value;
  record.correct = report.correct;
  record.correct_top5 = report.correct_top5;
  record.total = report.total;
  record.run_ms_p50 = report.run_ms.Quantile(0.50);
  record.run_ms_p95 = report.run_ms.Quantile(0.95);
  record.cpu_ms = cpu_ms;
  record.peak_rss_bytes = PeakResidentBytes();
  record.precision = PrecisionName(session.precision());
  answer.plan = session.CurrentPlan();
  if (answer.plan) {
    const BudgetCounts counts = session.Counts();
    record.predicted_ms = answer.plan->predicted_ms;
    record.bytes_read = counts.bytes_read;
    record.kept = KeptRecord::Of(counts);
    answer.waits_ms = counts.wait_ms;
  }
  return answer;
}

void PrintAnswer(const EvalAnswer& answer, const Json& energy) {
  Json json = ToJson(answer.record);
  if (answer.plan) {
    json["waits_ms"] = answer.waits_ms;
    json["plan"] = PlanJson(*answer.plan);
  }
  if (!energy.is_null()) json["energy"] = energy;
  PrintJson(json);
}

void PrintTable(const EvalRecord& record) {
  Print("%s %.4f", record.metric.c_str(), record.value);
  if (record.metric == "accuracy") {
    Print(" (%lld of %lld, top 5: %lld)",
          static_cast<long long>(record.correct),
          static_cast<long long>(record.total),
          static_cast<long long>(record.correct_top5));
  } else {
    Print(" (%lld rows)", static_cast<long long>(record.total));
  }
  Print("\nrun %s (p50), %s (p95), CPU %s per row, peak memory %s, %s\n",
        FormatMs(record.run_ms_p50).c_str(),
        FormatMs(record.run_ms_p95).c_str(), FormatMs(record.cpu_ms).c_str(),
        FormatBytes(record.peak_rss_bytes).c_str(), record.precision.c_str());
}

// Measures the ranges of activations over the first rows of the data.
Status Calibrate(const EvalCommandOptions& options, const EvalModel& model,
                 const Session& session) {
  EvalOptions first_rows = options.eval;
  first_rows.max_rows = options.calibrate;
  while (session.calibrating()) {
    STINT_RETURN_IF_ERROR(EvaluateData(model, first_rows).status());
  }
  return OkStatus();
}

Result<Session> Open(const EvalCommandOptions& options) {
  STINT_ASSIGN_OR_RETURN(Model model, options.budget.Open(options.model));
  options.budget.EndPhase();
  STINT_ASSIGN_OR_RETURN(Runtime runtime, options.run.MakeRuntime());
  SessionOptions session = options.run.Session();
  session.calibration_runs = static_cast<int>(options.calibrate);
  STINT_RETURN_IF_ERROR(options.budget.SetOn(&session));
  return Session::Create(std::move(model), std::move(runtime), session);
}

Result<EvalReport> Evaluate(EvalCommandOptions* options, Session* session) {
  options->eval.image = options->image.PreprocessingFor(session->model_info());
  if (options->pad) options->eval.text.pad_to = options->eval.text.max_length;
  const EvalModel model{
      &PackageOf(*session),
      [session](const std::vector<Value>& inputs, std::vector<Value>* outputs) {
        return session->RunInto(inputs, outputs);
      }};
  STINT_RETURN_IF_ERROR(Calibrate(*options, model, *session));
  options->eval.keep_right = options->right;
  options->eval.prediction = nullptr;
  std::optional<AtomicFile> predictions;
  if (!options->predictions.empty()) {
    STINT_ASSIGN_OR_RETURN(AtomicFile file,
                           AtomicFile::Create(options->predictions));
    predictions.emplace(std::move(file));
    options->eval.prediction = [&](const std::string& line) {
      return predictions->Append(line + "\n");
    };
  }
  Progress progress("eval");
  options->eval.progress = [&](int64_t done, int64_t total) {
    progress.Update(done, total);
    return true;
  };
  auto report = EvaluateData(model, options->eval);
  ReportPrimitive(options->run.primitive, session->StepChoices());
  if (report.ok() && predictions.has_value()) {
    STINT_RETURN_IF_ERROR(predictions->Commit());
  }
  return report;
}

int RunEval(EvalCommandOptions* options) {
  if (options->pad && options->eval.text.max_length == 0) {
    PrintError("stint: --pad needs --max-length\n");
    return kExitUsage;
  }
  const double cpu_start = ProcessCpuMs();
  auto session = Open(*options);
  if (!session.ok()) return Fail(session.status());
  Result<EvalReport> report = InternalError("not evaluated");
  const auto energy = options->energy.Measure([&]() -> Result<int64_t> {
    report = Evaluate(options, &*session);
    if (!report.ok()) return report.status();
    return report->total;
  });
  options->budget.EndPhase();
  if (!energy.ok()) return Fail(energy.status());
  const Status saved = options->budget.SavePlan(*session);
  if (!saved.ok()) return Fail(saved);
  const double cpu_ms =
      (ProcessCpuMs() - cpu_start) /
      static_cast<double>(std::max<int64_t>(1, report->total));
  EvalAnswer answer = Answer(*report, *session, cpu_ms);
  if (options->right) answer.record.right = report->right;
  if (options->run.json()) {
    PrintAnswer(answer, *energy);
  } else {
    PrintTable(answer.record);
    if (answer.plan) PrintText(PlanLines(*answer.plan));
    PrintText(KeptLines(*session));
    PrintEnergy(*energy);
  }
  return kExitOk;
}

}  // namespace

void AddEvalCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<EvalCommandOptions>();
  CLI::App* command =
      app->add_subcommand("eval", "Accuracy of a model on a data set");
  command->footer(
      "Examples:\n"
      "  stint eval all-MiniLM-L6-v2/ --task stsb --data STS-B/dev.tsv.gz\n"
      "  stint eval resnet20.onnx --data test_batch.bin.xz \\\n"
      "      --scale 255 --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225");
  options->model.AddTo(command);
  AddTask(command, &options->eval.task);
  CLI::Option* data = command->add_option(
      "--data", options->eval.data,
      ".tsv(.gz), .bin(.xz), or a folder or tar of CCC_*.jpg");
  data->required();
  GuessByName(data, &options->eval.task);
  command
      ->add_option("--max-length", options->eval.text.max_length,
                   "Cut texts to this many tokens")
      ->check(CLI::Range(1, 65536));
  command->add_flag("--pad", options->pad, "Pad texts to --max-length");
  command
      ->add_option("--calibrate-rows", options->calibrate,
                   "int8: measure the ranges of activations on this many "
                   "first rows of --data")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--predictions", options->predictions,
                      "Write one line per row: label, prediction, raw outputs");
  command
      ->add_option("--rows", options->eval.max_rows,
                   "Evaluate only the first N rows")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_flag(
      "--right", options->right,
      "Add to the JSON which rows were answered correctly, as 1 and 0");
  options->image.AddTo(command);
  options->run.AddTo(command);
  options->run.AddPrecisionTo(command);
  options->run.AddPrimitiveTo(command);
  options->run.AddDeviceTo(command);
  options->budget.AddTo(command);
  options->energy.AddTo(command);
  command->callback(
      [options, exit_code] { *exit_code = RunEval(options.get()); });
}

}  // namespace stint::cli

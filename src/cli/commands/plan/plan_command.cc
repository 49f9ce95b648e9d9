// stint plan: what would be done to keep a budget, without doing it.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/plan/plan_parts.h"
#include "cli/options/budget_options.h"
#include "cli/options/run_options.h"
#include "core/platform/file.h"
#include "engine/run/zero_inputs.h"
#include "lab/record/plan_record.h"
#include "lab/report/study_json.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

struct PlanCommandOptions {
  ModelOptions model;
  RunOptions run;
  BudgetOptions budget;
  int64_t batch = 1;
  int64_t sequence = 128;
  std::string picture;
  bool explain_memory = false;
};

struct PlanAnswer {
  Budget budget;
  PlanReport plan;
  std::vector<BudgetVariant> variants;
};

Result<PlanAnswer> MakePlan(const PlanCommandOptions& options) {
  STINT_ASSIGN_OR_RETURN(Model model, options.budget.Open(options.model));
  if (!model.is_elastic() && !options.budget.UsesFull()) {
    return InvalidArgument(options.model.path +
                           ": not an elastic .stint file; `stint pack` makes "
                           "one of it");
  }
  STINT_ASSIGN_OR_RETURN(
      const auto inputs,
      ZeroInputs(*model.package()->graph,
                 {.batch = options.batch, .sequence = options.sequence}));
  options.budget.EndPhase();
  STINT_ASSIGN_OR_RETURN(Runtime runtime, options.run.MakeRuntime());
  SessionOptions session_options;
  STINT_RETURN_IF_ERROR(options.budget.SetOn(&session_options));
  session_options.explain_memory = options.explain_memory;
  STINT_ASSIGN_OR_RETURN(
      Session session,
      Session::Create(std::move(model), std::move(runtime), session_options));
  PlanAnswer answer;
  answer.budget = session_options.budget;
  STINT_ASSIGN_OR_RETURN(answer.plan, session.Plan(inputs));
  // A file without shards, or a policy that knows no other budgets.
  if (answer.plan.layers == 0 || options.budget.UsesFull()) return answer;
  STINT_RETURN_IF_ERROR(options.budget.SavePlan(session));
  STINT_ASSIGN_OR_RETURN(answer.variants,
                         NearbyBudgets(answer.budget, session));
  return answer;
}

Status DrawPlan(const std::string& path, const PlanAnswer& answer) {
  if (path.empty()) return OkStatus();
  const double latency_ms =
      static_cast<double>(answer.budget.latency.count()) * 1e-6;
  return WriteFileAtomically(path, PlanPicture(answer.plan, latency_ms));
}

int RunPlan(const PlanCommandOptions& options) {
  const auto answer = MakePlan(options);
  if (!answer.ok()) {
    if (options.run.json() &&
        answer.status().code() == StatusCode::kBudgetInfeasible) {
      PrintJson({{"feasible", false}, {"reason", answer.status().message()}});
    }
    return Fail(answer.status());
  }
  const Status drawn = DrawPlan(options.picture, *answer);
  if (!drawn.ok()) return Fail(drawn);
  Json json = PlanJson(answer->plan);
  json["variants"] = VariantsJson(answer->variants);
  ReportSection section = PlanSection(answer->plan, answer->variants);
  if (options.explain_memory) {
    json["memory"] = RowsJson(MemoryTable(answer->plan));
    AddMemory(answer->plan, &section);
  }
  PrintResult(options.run.format, json, section);
  return kExitOk;
}

}  // namespace

void AddPlanCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PlanCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "plan", "Show how an elastic file would keep a budget");
  command->footer(
      "Examples:\n"
      "  stint plan model.stint --latency 20ms --memory 16MB -o plan.svg\n"
      "  stint plan model.stint --memory 8MB --storage 80MB/s,1ms "
      "--seq 64\n"
      "  stint plan model.stint --latency 20ms --plan p.txt && "
      "stint run model.stint --plan p.txt --text ...");
  options->model.AddTo(command);
  command->add_option("--batch", options->batch, "Size of batch dimensions")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--seq", options->sequence, "Size of sequence dimensions")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("-o", options->picture, "Draw the timeline as F.svg");
  command->add_flag("--explain-memory", options->explain_memory,
                    "List what the process takes besides weights");
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  options->budget.AddTo(command);
  command->callback([options, exit_code] { *exit_code = RunPlan(*options); });
}

}  // namespace stint::cli

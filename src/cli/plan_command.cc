// stint plan: what would be done to keep a budget, without doing it.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/budget_options.h"
#include "cli/command.h"
#include "cli/plan_report.h"
#include "engine/run/zero_inputs.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

struct PlanCommandOptions {
  ModelOptions model;
  RunOptions run;
  BudgetOptions budget;
  int64_t batch = 1;
  int64_t sequence = 128;
};

Result<PlanReport> MakePlan(const PlanCommandOptions& options) {
  STINT_ASSIGN_OR_RETURN(Model model,
                         ImportModel(options.model.path, options.model.import));
  if (!model.is_elastic()) {
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
  STINT_ASSIGN_OR_RETURN(
      Session session,
      Session::Create(std::move(model), std::move(runtime), session_options));
  return session.Plan(inputs);
}

int RunPlan(const PlanCommandOptions& options) {
  const auto plan = MakePlan(options);
  if (!plan.ok()) {
    if (options.run.json() &&
        plan.status().code() == StatusCode::kBudgetInfeasible) {
      PrintJson({{"feasible", false}, {"reason", plan.status().message()}});
    }
    return Fail(plan.status());
  }
  if (options.run.json()) {
    PrintJson(PlanJson(*plan));
  } else {
    std::fputs(PlanTable(*plan).c_str(), stdout);
  }
  return kExitOk;
}

}  // namespace

void AddPlanCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PlanCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "plan", "Show how an elastic file would keep a budget");
  command->footer(
      "Examples:\n"
      "  stint plan model.stint --latency 20ms --memory 16MB\n"
      "  stint plan model.stint --memory 8MB --storage 80MB/s,1ms "
      "--sequence 64");
  options->model.AddTo(command);
  command->add_option("--batch", options->batch, "Size of batch dimensions")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command
      ->add_option("--sequence", options->sequence,
                   "Size of sequence dimensions")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  options->run.AddTo(command);
  options->budget.AddTo(command);
  command->callback([options, exit_code] { *exit_code = RunPlan(*options); });
}

}  // namespace stint::cli

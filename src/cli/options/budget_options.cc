#include "cli/options/budget_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "core/base/quantity.h"
#include "core/platform/file.h"
#include "core/platform/memory/memory.h"
#include "core/platform/memory/program_pages.h"
#include "engine/elastic/full/full_runner.h"
#include "lab/record/words.h"

namespace stint::cli {
namespace {

// Layers that take so many times as long as usual are worth a line.
constexpr double kBusy = 1.4;

// "3.4 bits" for people.
std::string FormatBits(double bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f bits", bits);
  return text;
}

// With known power a budget of energy is one of time.
Status LimitEnergy(const std::string& energy, double watts, Budget* budget) {
  if (energy.empty()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const double joules, ParseJoules(energy));
  budget->joules = joules;
  budget->watts = std::max(0.0, watts);
  const bool measures = budget->watts == 0;
  const Status status = LimitByEnergy(budget);
  if (!status.ok()) return status.Annotate("--energy " + energy);
  if (measures) {
    PrintError("stint: --energy %s at the %.3g W measured: %.3g ms\n",
               energy.c_str(), budget->watts, joules / budget->watts * 1e3);
  }
  return OkStatus();
}

// "97.9 % of answers as the whole model's (+- 1.5), by 32 rows held back".
std::string ExpectedLine(const ExpectedAnswers& expected) {
  if (expected.rows == 0) return "";
  char text[160];
  if (expected.same >= 0) {
    std::snprintf(text, sizeof(text),
                  "expected %.1f %% of answers as the whole model's (+- %.1f)",
                  100 * expected.same, 100 * expected.same_error);
  } else {
    std::snprintf(text, sizeof(text),
                  "expected answers %.2g from the whole model's (+- %.1g)",
                  expected.loss, expected.loss_error);
  }
  return text + (", by " + std::to_string(expected.rows)) +
         " rows held back when packing\n";
}

}  // namespace

void BudgetOptions::AddTo(CLI::App* app) {
  app->add_option("--latency", latency,
                  "Longest time of a run, such as 20ms (elastic files)");
  app->add_option("--memory", memory,
                  "Most memory of this process, such as 16MB (elastic files)");
  app->add_option("--energy", energy,
                  "Most energy of a run, such as 300mJ; needs a live meter or "
                  "--watts");
  app->add_option("--watts", watts,
                  "What this machine draws while it runs, for --energy")
      ->check(CLI::Range(0.001, 100000.0));
  app->add_option("--percentile", percentile,
                  "Share of runs that keep the latency")
      ->check(CLI::Range(50.0, 99.9))
      ->capture_default_str();
  app->add_option("--from", from,
                  "Where the latency of the first run begins: run, or launch "
                  "of the process")
      ->check(CLI::IsMember({"run", "launch"}))
      ->capture_default_str();
  app->add_flag("--best-effort", best_effort,
                "Where no plan keeps the latency, run the fastest instead of "
                "refusing");
  app->add_option(
         "--policy", policy,
         std::string("Planning policy: ") + kPolicyForms +
             " (B = 2 to 8 bits; pipeline:32 and resident:32 with --full)")
      ->capture_default_str();
  app->add_option("--full", full,
                  "Plain package of the same model, for policies of 32 "
                  "bits");
  app->add_option("--storage", storage,
                  "Imitate slower storage, such as 80MB/s,1ms");
  app->add_option("--plan", plan,
                  "Run the plan in this file, without planning; when there is "
                  "no such file, save the plan there");
}

namespace {

std::string Describe(const std::vector<ValueInfo>& values) {
  std::string text;
  for (const ValueInfo& value : values) {
    text += (text.empty() ? "" : ", ") + value.name + " " +
            std::string(DTypeName(value.dtype)) + ToString(value.shape);
  }
  return text;
}

}  // namespace

bool BudgetOptions::UsesFull() const { return IsFullPolicy(policy); }

Result<Model> BudgetOptions::Open(const ModelOptions& model) const {
  STINT_ASSIGN_OR_RETURN(Model given, ImportModel(model.path, model.import));
  if (!UsesFull()) return given;
  if (full.empty()) {
    return InvalidArgument("--policy " + policy +
                           " needs --full F.stint, a plain package of the "
                           "same model (`stint pack --bits 32`)");
  }
  STINT_ASSIGN_OR_RETURN(Model plain, Model::Open(full));
  const std::string expected =
      Describe(given.inputs()) + " to " + Describe(given.outputs());
  const std::string found =
      Describe(plain.inputs()) + " to " + Describe(plain.outputs());
  if (found != expected) {
    return InvalidArgument(full + ": is another model than " + model.path +
                           ": from " + found + ", expected " + expected);
  }
  return plain;
}

Status BudgetOptions::SetOn(SessionOptions* options) const {
  if (!latency.empty()) {
    STINT_ASSIGN_OR_RETURN(const int64_t ns, ParseDurationNs(latency));
    options->budget.latency = std::chrono::nanoseconds(ns);
  }
  if (!memory.empty()) {
    STINT_ASSIGN_OR_RETURN(options->budget.memory_bytes, ParseBytes(memory));
    // Of this process the peak counts, and it has loaded the model.
    const int64_t peak = PeakResidentBytes();
    if (!UsesFull() && peak > options->budget.memory_bytes) {
      return BudgetInfeasible("--memory " + memory +
                              ": the process has taken " + FormatBytes(peak) +
                              " without weights");
    }
  }
  STINT_RETURN_IF_ERROR(LimitEnergy(energy, watts, &options->budget));
  options->budget.percentile = percentile;
  options->budget.best_effort = best_effort;
  options->budget.from_launch = from == "launch";
  options->lab.policy = policy;
  options->lab.storage = storage;
  if (!plan.empty() && FileExists(plan)) {
    STINT_ASSIGN_OR_RETURN(options->plan, ReadFile(plan));
  }
  return OkStatus();
}

Status BudgetOptions::SavePlan(const Session& session) const {
  if (plan.empty() || FileExists(plan)) return OkStatus();
  STINT_ASSIGN_OR_RETURN(const std::string text, session.SavePlan());
  return WriteFileAtomically(plan, text);
}

void BudgetOptions::EndPhase() const {
  if (memory.empty() && plan.empty()) return;
  ReleaseFreeHeap();
  ReleaseProgramPages();
}

namespace {

// "2.3", without zeros behind.
std::string FormatTimes(double times) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2g", times);
  return text;
}

}  // namespace

std::string KeptLines(const Session& session) {
  const BudgetCounts counts = session.Counts();
  const auto plan = session.CurrentPlan();
  std::string text;
  if (counts.missed > 0) {
    text += "missed the latency in " + std::to_string(counts.missed) + " of " +
            std::to_string(counts.runs) + " runs\n";
  }
  const int64_t memory = session.budget().memory_bytes;
  if (memory > 0 && PeakResidentBytes() > memory) {
    text += "took more memory than the budget: " +
            FormatBytes(PeakResidentBytes()) + " of " + FormatBytes(memory) +
            "\n";
  }
  if (plan && !plan->keeps_latency) {
    text += "no plan keeps the latency here: this is the fastest\n";
  }
  if (plan && plan->busy >= kBusy) {
    text += "the machine is busy: layers take " + FormatTimes(plan->busy) +
            " times as long as on an idle one\n";
  }
  if (counts.replans > 0) {
    text += "planned again " + std::to_string(counts.replans) +
            (counts.replans == 1 ? " time\n" : " times\n");
  }
  return text;
}

std::string PlanLines(const PlanReport& plan) {
  std::string text = "plan " + plan.policy + ": " +
                     std::to_string(plan.layers) + " layers at " +
                     FormatBits(plan.mean_bits) + ", " +
                     FormatBytes(plan.preload_bytes) + " pinned, " +
                     FormatBytes(plan.stream_bytes) + " streamed through " +
                     FormatBytes(plan.ring_bytes) + "\n";
  text += "predicted " + FormatMs(plan.predicted_ms) + ", peak memory " +
          FormatBytes(plan.predicted_peak_bytes) + "\n";
  return text + ExpectedLine(plan.expected);
}

}  // namespace stint::cli

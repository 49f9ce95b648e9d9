#pragma once
// Options of commands that run an elastic file within a budget, and what they
// print of its plan.

#include <optional>
#include <string>

#include "cli/options/run_options.h"
#include "stint/session.h"

namespace stint::cli {

struct BudgetOptions {
  std::string latency;  // "20ms"; empty: no limit
  std::string memory;   // "16MB"
  std::string energy;   // "3J"
  double watts = 0;     // what the machine draws while it runs; 0: not stated
  double percentile = Budget().percentile;
  std::string policy = kElasticPolicy;
  std::string storage;
  std::string plan;  // a file of a plan
  std::string full;  // a plain file of the model, for policies of 32 bits
  bool best_effort = false;
  std::string from = "run";  // or "launch": where the latency begins

  void AddTo(CLI::App* app);
  // The model to run: with a policy of 32 bits the one of `full`, which must
  // have the same inputs and outputs.
  Result<Model> Open(const ModelOptions& model) const;
  // The policy is for `full`.
  bool UsesFull() const;
  // A plan file that exists is used.
  Status SetOn(SessionOptions* options) const;
  // Writes the session's plan where --plan says, if it did not come from there.
  Status SavePlan(const Session& session) const;
  // Where a phase of the program ends: with a memory budget, what it used is
  // given back.
  void EndPhase() const;
};

// A few lines: what is in memory, what is streamed, at how many bits.
std::string PlanLines(const PlanReport& plan);
// Lines that say what of the budget was not kept, and what became of the plan;
// empty when there is nothing to say.
std::string KeptLines(const Session& session);

}  // namespace stint::cli

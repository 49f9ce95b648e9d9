#pragma once
// Options of commands that run an elastic file within a budget, and what they
// print of its plan.

#include <optional>
#include <string>

#include "cli/command.h"
#include "stint/session.h"

namespace stint::cli {

struct BudgetOptions {
  std::string latency;  // "20ms"; empty: no limit
  std::string memory;   // "16MB"
  double percentile = Budget().percentile;
  std::string policy = SessionOptions().policy;
  std::string storage;

  void AddTo(CLI::App* app);
  Status SetOn(SessionOptions* options) const;
  // Where a phase of the program ends: with a memory budget, what it used is
  // given back.
  void EndPhase() const;
};

// "resident" (all in memory), "hidden" (reading hides behind computation) or
// "storage-bound".
std::string RegimeOf(const PlanReport& plan);
// Keys of 07-interfaces, and more.
Json PlanJson(const PlanReport& plan);
// A few lines: what is in memory, what is streamed, at how many bits.
std::string PlanLines(const PlanReport& plan);

}  // namespace stint::cli

#pragma once
// The figures of a study across the stack: what is worth taking, what changes
// the winner, and where smaller was not faster.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/stack/layer_times.h"
#include "lab/study/run_study.h"

namespace stint {

// Fact of an outcome: what a compute is that is no CPU of this machine.
inline constexpr char kDeviceFact[] = "device";

// One point: a model and compute (condition), a compression, primitive and code
// (treatment).
struct StackRow {
  Setting setting;  // all five
  std::string status;
  std::string reason;
  std::string device;  // kDeviceFact; empty: this CPU
  // Whose figures these are, by primitive and code: of points that run by the
  // same kernels, in at least one round. Empty: its own.
  std::string alike;
  std::map<std::string, double> figures;  // medians over the rounds

  bool ok() const { return status == "ok"; }
  // Without times, where it is not ok.
  bool HasAnswers() const { return ok() || status == "emulated"; }
  std::string Value(const std::string& axis) const {
    return ValueOf(setting, axis);
  }
  std::optional<double> Figure(const std::string& name) const;
};

// On an axis, the fastest value changes with another axis' value.
struct StackFlip {
  std::string axis;   // "primitive", "compression" or "code"
  std::string other;  // the axis that was changed
  Setting fixed;      // the values of all other axes
  std::string from;   // value of `other`, and the winner there
  std::string winner_from;
  std::string to;
  std::string winner_to;
};

// What a compression promised by the weights it leaves, and what came of it.
struct StackSpeedup {
  std::string model;
  std::string compute;
  std::string compression;
  double expected = 1;  // weights before over weights that are not 0 now
  double achieved = 1;  // fastest time before over fastest time now
  double accuracy_change = 0;
  // Where it is slower than before: the layers that lose most.
  std::vector<SlowerLayer> slower;
};

// Over all points of a compute with an answer; none where one of the two is
// the same everywhere.
struct StackCorrelation {
  std::string compute;
  std::string a;  // names of figures
  std::string b;
  double rho = 0;  // Spearman's

  // "rank correlation of size and time"
  std::string Title() const;
};

struct StackReport {
  StudyCount count;
  // Of the points that are done, those with figures of their own and those
  // with figures of one that runs alike; the others are unsupported.
  int64_t evaluated = 0;
  int64_t taken_over = 0;
  std::vector<StackRow> rows;
  // What computes are that are no CPU of this machine.
  std::map<std::string, std::string> devices;
  // Rows (by index) that no other of the same model and compute beats in both
  // accuracy and time.
  std::vector<size_t> pareto;
  std::vector<StackFlip> flips;
  std::vector<StackSpeedup> speedups;
  std::vector<StackCorrelation> correlations;
};

Result<StackReport> MakeStackReport(const Study& study,
                                    StudyDatabase* database);

// Fills everything but rows and count from the rows.
void AnalyzeStack(StackReport* report);

}  // namespace stint

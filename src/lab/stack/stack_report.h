#pragma once
// The figures of a study across the stack: what is worth taking, what changes
// the winner, and where smaller was not faster.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/meter/statistics.h"
#include "lab/stack/layer_times.h"
#include "lab/study/run_study.h"

namespace stint {

// Fact of an outcome: what a compute is that is no CPU of this machine.
inline constexpr char kDeviceFact[] = "device";

// Samples of the rounds after the first, in which a point is only timed: the
// low quantile of the runs of a block.
inline constexpr char kBlockSample[] = "block_ms";

// The figure by which rows are compared: the median of a row's blocks, or what
// it took while it was evaluated in a study that has none.
inline constexpr char kTimeFigure[] = "time_ms";

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
  std::string kernels;                    // kKernelsFact; empty: not known
  // How many layers run by the primitive that was forced; -1: not known, or
  // none was.
  int64_t forced_layers = -1;
  // kBlockSample by round, of the row itself; in a study that has none, what
  // it took in each round in which it was evaluated.
  std::map<int, double> times;
  // By index, the row that is timed for all that run alike: the first of them.
  size_t timed_row = 0;

  bool ok() const { return status == "ok"; }
  // Without times, where it is not ok.
  bool HasAnswers() const { return ok() || status == "emulated"; }
  std::string Value(const std::string& axis) const {
    return ValueOf(setting, axis);
  }
  std::optional<double> Figure(const std::string& name) const;
};

// On an axis, the fastest value changes with another axis' value: each of the
// winners is clearly ahead where it wins (contest.h).
struct StackFlip {
  std::string axis;         // "primitive", "compression" or "code"
  std::string other;        // the axis that was changed
  Setting fixed;            // the values of all other axes
  std::string from;         // value of `other`, and the winner there
  std::string winner_from;  // values that run alike are one: "direct=im2col"
  std::string to;
  std::string winner_to;
  Estimate lead_from;  // of the winner over the best of the others
  Estimate lead_to;
};

// What a compression promised by the weights it leaves, and what came of it.
struct StackSpeedup {
  std::string model;
  std::string compute;
  std::string compression;
  double expected = 1;  // weights before over weights that are not 0 now
  // Fastest time before over fastest time now, by the rounds that both have.
  Estimate achieved = {1, 1, 1};
  double accuracy_change = 0;
  // Where it is slower than before: the layers that lose most.
  std::vector<SlowerLayer> slower;

  // By more than the noise.
  bool slower_than_before() const { return achieved.high < 1; }
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
  std::vector<std::string> programs;  // versions of stint that ran them
  // What computes are that are no CPU of this machine.
  std::map<std::string, std::string> devices;
  // Rows (by index) that no other of the same model and compute beats in both
  // accuracy and time.
  std::vector<size_t> pareto;
  std::vector<StackFlip> flips;
  int timing_rounds = 0;  // most that a row has
  int64_t failed_timings = 0;
  // Where values of an axis can be compared; of those, where none is clearly
  // fastest, and where this cannot be told from this noise.
  int64_t contests = 0;
  int64_t ties = 0;
  int64_t undecided = 0;
  std::vector<StackSpeedup> speedups;
  std::vector<StackCorrelation> correlations;
};

// In read_stack.cc.
Result<StackReport> MakeStackReport(const Study& study,
                                    StudyDatabase* database);

// Fills everything but rows and count from the rows, and of the rows
// `timed_row` and kTimeFigure.
void AnalyzeStack(StackReport* report);

}  // namespace stint

#pragma once
// The contests of a study across the stack: on each axis, where all others are
// the same, which value is fastest; and where that changes with another axis.

#include <string>
#include <vector>

#include "lab/stack/contest.h"
#include "lab/stack/stack_report.h"

namespace stint {

// Candidates are values of `axis`, by the order of their rows; those that run
// alike are one. There are two or more.
struct StackContest {
  std::string axis;
  Setting fixed;  // the values of all other axes
  std::vector<Candidate> candidates;
  std::vector<size_t> rows;  // of each candidate, the one that is timed
};

// "auto" and primitives that computed no layer are no values of their own.
// Contests between the same rows are there once for each setting.
std::vector<StackContest> FindContests(const StackReport& report);

// Fills flips, contests, ties and undecided.
void FindFlips(StackReport* report);

// By index, the rows to time from here on: at first every row that is timed
// itself, later the contenders of contests that are not decided.
std::vector<size_t> RowsToTime(const StackReport& report, bool first);

}  // namespace stint

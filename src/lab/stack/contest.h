#pragma once
// Which of several things that do the same is fastest, told from rounds in
// which each was timed, and how long to go on timing them. Pure functions.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/meter/statistics.h"

namespace stint {

// Values of an axis that run by the same kernels: one thing to time.
struct Candidate {
  std::vector<std::string> values;  // "direct", "im2col"
  std::map<int, double> times;      // by round, all positive

  std::string Name() const;  // "direct=im2col"
  bool SharesValue(const Candidate& other) const;
};

// A winner is faster than every other by more than this. States of a machine
// that last for minutes move leads from one study to the next, which no
// interval within a study can tell: with two threads one lead was 1.29 in one
// study and 1.63 in another. With 1.05, 25 of 33 flips of ResNet-20 came with
// each of four seeds, all others had leads of 1.06 to 1.11.
inline constexpr double kClearLead = 1.15;

// The stopping rule: contests are judged after so many rounds of timing, only
// then, and candidates of one that is decided are timed no further. 16 is the
// least with which a lead can be told at kFalseLead.
inline constexpr int kTimingLooks[] = {16, 24, 32, 48, 64, 96, 128};

// The chance that one candidate of a pair passes for the clear winner at one
// look although its lead is not above kClearLead: 2^-16, rounded up. Over the
// seven looks of 90 such pairs that is 1 %.
inline constexpr double kFalseLead = 1.6e-5;

enum class Verdict {
  kWon,
  kTied,       // no candidate can be ahead of all others by kClearLead
  kUndecided,  // at this noise, after this many rounds
};

struct ContestResult {
  Verdict verdict = Verdict::kUndecided;
  size_t winner = 0;  // only with kWon
  // How many times as fast the winner is as the best of the others, with the
  // 95 % interval of that one ratio.
  Estimate lead;
  // Candidates that none is clearly faster than: the ones to time further.
  std::vector<size_t> contenders;
};

// Pairs are compared by the rounds that both have, with the sign test of their
// ratio against kClearLead: nothing is assumed of the noise but that rounds are
// independent. Candidates without rounds in common stay undecided.
ContestResult Judge(const std::vector<Candidate>& candidates);

}  // namespace stint

#pragma once
// Treatments of one condition against each other, by the rounds that both have,
// and what the machine's noise does to such a ratio.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/meter/statistics.h"
#include "lab/study/study.h"

namespace stint {

// How far from 1 the A/A ratio may lie where rows are to be ranked.
inline constexpr double kNoiseLimit = 0.03;

// How much larger `a` is than `b`; nothing when they share no round.
std::optional<Estimate> RatioByRound(const std::map<int, double>& a,
                                     const std::map<int, double>& b);

enum class NoiseVerdict {
  kQuiet,    // the interval lies within [1 / (1 + limit), 1 + limit]
  kNoisy,    // it reaches farther
  kUnknown,  // too few rounds for an interval
};

// A treatment that was entered twice, against itself: a test of equivalence, so
// that more rounds and a quieter machine can only help to pass it.
struct NoiseRatio {
  Setting condition;
  Estimate ratio;
  NoiseVerdict verdict = NoiseVerdict::kUnknown;

  bool quiet() const { return verdict == NoiseVerdict::kQuiet; }
  // How far the farther end of the interval is from 1, as 0.012: smaller
  // differences cannot be told from noise. Nothing when it is not known.
  std::optional<double> Resolution() const;
};

NoiseRatio JudgeNoise(const Setting& condition, const Estimate& ratio);

// "quiet", "noisy", "unknown".
const char* NoiseWord(NoiseVerdict verdict);
// What the verdict means: "this run resolves 1.2 %", "too noisy to rank within
// 3 %: this run resolves 5.26 %", "noise unknown: needs 6 rounds".
std::string NoiseText(const NoiseRatio& noise);

// The one that says least: without an interval, or with the worst resolution.
// Null for none.
const NoiseRatio* WorstNoise(const std::vector<NoiseRatio>& all);
// Whether there is noise to judge by and all of it is quiet.
bool AllQuiet(const std::vector<NoiseRatio>& all);

}  // namespace stint

#pragma once
// Treatments of one condition against each other, by the rounds that both have,
// and what the machine's noise does to such a ratio.

#include <cstdint>
#include <map>
#include <optional>

#include "core/meter/statistics.h"
#include "lab/study/study.h"

namespace stint {

// The widest interval of the A/A ratio with which rows can be ranked.
inline constexpr double kNoiseLimit = 0.03;

// How much larger `a` is than `b`; nothing when they share no round.
std::optional<Estimate> RatioByRound(const std::map<int, double>& a,
                                     const std::map<int, double>& b,
                                     uint64_t seed);

// A treatment that was entered twice, against itself.
struct NoiseRatio {
  Setting condition;
  Estimate ratio;
  // The interval excludes 1 or is wider than kNoiseLimit.
  bool too_noisy = false;
};

NoiseRatio JudgeNoise(const Setting& condition, const Estimate& ratio);

}  // namespace stint

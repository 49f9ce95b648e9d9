#include "lab/study/paired_rounds.h"

#include <vector>

namespace stint {

std::optional<Estimate> RatioByRound(const std::map<int, double>& a,
                                     const std::map<int, double>& b,
                                     uint64_t seed) {
  std::vector<double> above, below;
  for (const auto& [round, value] : a) {
    const auto other = b.find(round);
    if (other == b.end()) continue;
    above.push_back(value);
    below.push_back(other->second);
  }
  if (above.empty()) return std::nullopt;
  return PairedRatio(above, below, seed);
}

NoiseRatio JudgeNoise(const Setting& condition, const Estimate& ratio) {
  const bool too_noisy =
      ratio.low > 1 || ratio.high < 1 || ratio.high - ratio.low > kNoiseLimit;
  return {condition, ratio, too_noisy};
}

}  // namespace stint

#include "lab/study/paired_rounds.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace stint {
namespace {

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %%", share * 100);
  return text;
}

}  // namespace

std::optional<Estimate> RatioByRound(const std::map<int, double>& a,
                                     const std::map<int, double>& b) {
  std::vector<double> above, below;
  for (const auto& [round, value] : a) {
    const auto other = b.find(round);
    if (other == b.end()) continue;
    above.push_back(value);
    below.push_back(other->second);
  }
  if (above.empty()) return std::nullopt;
  return PairedRatio(above, below);
}

std::optional<double> NoiseRatio::Resolution() const {
  if (!ratio.known()) return std::nullopt;
  return std::max(ratio.high, 1 / ratio.low) - 1;
}

NoiseRatio JudgeNoise(const Setting& condition, const Estimate& ratio) {
  NoiseRatio noise{condition, ratio, NoiseVerdict::kUnknown};
  if (const auto resolution = noise.Resolution()) {
    noise.verdict = *resolution <= kNoiseLimit ? NoiseVerdict::kQuiet
                                               : NoiseVerdict::kNoisy;
  }
  return noise;
}

const char* NoiseWord(NoiseVerdict verdict) {
  switch (verdict) {
    case NoiseVerdict::kQuiet:
      return "quiet";
    case NoiseVerdict::kNoisy:
      return "noisy";
    case NoiseVerdict::kUnknown:
      return "unknown";
  }
  return "";
}

std::string NoiseText(const NoiseRatio& noise) {
  if (noise.verdict == NoiseVerdict::kUnknown) {
    return "noise unknown: needs " + std::to_string(kLeastForInterval) +
           " rounds";
  }
  const std::string resolves =
      "this run resolves " + Percent(*noise.Resolution());
  if (noise.quiet()) return resolves;
  return "too noisy to rank within " + Percent(kNoiseLimit) + ": " + resolves;
}

const NoiseRatio* WorstNoise(const std::vector<NoiseRatio>& all) {
  const auto reach = [](const NoiseRatio& noise) {
    return noise.Resolution().value_or(std::numeric_limits<double>::infinity());
  };
  const auto worst = std::max_element(
      all.begin(), all.end(), [&](const NoiseRatio& a, const NoiseRatio& b) {
        return reach(a) < reach(b);
      });
  return worst == all.end() ? nullptr : &*worst;
}

bool AllQuiet(const std::vector<NoiseRatio>& all) {
  const NoiseRatio* worst = WorstNoise(all);
  return worst != nullptr && worst->quiet();
}

}  // namespace stint

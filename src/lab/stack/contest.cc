#include "lab/stack/contest.h"

#include <algorithm>
#include <cstdint>

namespace stint {
namespace {

// Of the sign test that a pair is no further apart than kClearLead. Ending too
// early costs a winner, and tells no wrong one: ordinary certainty will do.
constexpr double kFalseTie = 0.01;

enum class Lead { kClear, kNone, kUnknown };

// Whether `a` is clearly faster than `b`.
Lead LeadOf(const Candidate& a, const Candidate& b) {
  int64_t above = 0, below = 0;
  for (const auto& [round, time] : a.times) {
    const auto other = b.times.find(round);
    if (other == b.times.end()) continue;
    ++(other->second > kClearLead * time ? above : below);
  }
  const double one_sided = McNemarP(above, below) / 2;
  if (above > below && one_sided <= kFalseLead) return Lead::kClear;
  if (below > above && one_sided <= kFalseTie) return Lead::kNone;
  return Lead::kUnknown;
}

Estimate RatioOf(const Candidate& winner, const Candidate& other) {
  std::vector<double> above, below;
  for (const auto& [round, time] : winner.times) {
    const auto found = other.times.find(round);
    if (found == other.times.end()) continue;
    above.push_back(found->second);
    below.push_back(time);
  }
  return PairedRatio(above, below);
}

// Over the one that comes closest.
Estimate LeadOverBest(const std::vector<Candidate>& candidates, size_t winner) {
  Estimate least;
  bool first = true;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (i == winner) continue;
    const Estimate ratio = RatioOf(candidates[winner], candidates[i]);
    if (first || ratio.value < least.value) least = ratio;
    first = false;
  }
  return least;
}

}  // namespace

std::string Candidate::Name() const {
  std::string name;
  for (const std::string& value : values) {
    name += (name.empty() ? "" : "=") + value;
  }
  return name;
}

bool Candidate::SharesValue(const Candidate& other) const {
  return std::any_of(
      values.begin(), values.end(), [&](const std::string& value) {
        return std::count(other.values.begin(), other.values.end(), value) > 0;
      });
}

ContestResult Judge(const std::vector<Candidate>& candidates) {
  const size_t count = candidates.size();
  std::vector<bool> beaten(count), has_equal(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const Lead lead = LeadOf(candidates[i], candidates[j]);
      if (lead == Lead::kClear) beaten[j] = true;
      if (lead == Lead::kNone) has_equal[i] = true;
    }
  }
  ContestResult result;
  bool tied = true;
  for (size_t i = 0; i < count; ++i) {
    if (beaten[i]) continue;
    result.contenders.push_back(i);
    tied = tied && has_equal[i];
  }
  // Who is beaten is beaten by the winner or by one that the winner beats.
  if (count > 1 && result.contenders.size() == 1) {
    result.verdict = Verdict::kWon;
    result.winner = result.contenders[0];
    result.lead = LeadOverBest(candidates, result.winner);
  } else if (count > 1 && tied) {
    result.verdict = Verdict::kTied;
  }
  return result;
}

}  // namespace stint

#include "lab/tune/pick_winners.h"

#include <algorithm>
#include <set>

namespace stint {
namespace {

// How much slower alone a finalist of another kind may be.
constexpr double kNearly = 1.2;
// What a layer must gain in the network to leave the default.
constexpr double kLayerGain = 0.99;

std::string KindOf(const ConvPlan& plan) {
  const ConvSchedule& s = plan.schedule;
  return plan.primitive + " " + std::to_string(s.row_parts) + "x" +
         std::to_string(s.block_parts) + " " + std::to_string(s.tile_blocks);
}

// The first of a kind that no set before had, or the best.
const RankedPlan& PickFinalist(const LayerFinds& found,
                               std::set<std::string>* kinds) {
  for (const RankedPlan& ranked : found.ranked) {
    if (ranked.us > kNearly * found.ranked.front().us) break;
    if (kinds->insert(KindOf(ranked.plan)).second) return ranked;
  }
  return found.ranked.front();
}

double LayerUs(const NetworkTimes& times, const std::string& layer) {
  const auto it = times.layer_us.find(layer);
  return it == times.layer_us.end() ? 0 : it->second;
}

}  // namespace

std::vector<ConvSchedules> MakeFinalists(const std::vector<LayerFinds>& finds,
                                         size_t most) {
  std::vector<ConvSchedules> sets(most);
  for (const LayerFinds& found : finds) {
    if (found.ranked.empty()) continue;
    std::set<std::string> kinds;
    for (ConvSchedules& set : sets) {
      const RankedPlan& ranked = PickFinalist(found, &kinds);
      if (ranked.plan == found.current) continue;
      set.Set(found.layer, {ranked.plan, ranked.us, found.current_us});
    }
  }
  return sets;
}

ConvSchedules PickWinners(const std::vector<ConvSchedules>& sets,
                          const std::vector<NetworkTimes>& times) {
  ConvSchedules winners;
  for (const auto& [layer, by_default] : times[0].layer_us) {
    double least = kLayerGain * by_default;
    for (size_t i = 0; i < sets.size(); ++i) {
      const TunedSchedule* tuned = sets[i].Find(layer);
      const double us = LayerUs(times[i + 1], layer);
      if (tuned == nullptr || us <= 0 || us >= least) continue;
      least = us;
      winners.Set(layer, *tuned);
    }
  }
  return winners;
}

Result<NetworkVerdict> JudgeWinners(const ConvSchedules& untuned,
                                    NetworkTimer* timer, double seconds,
                                    ConvSchedules* winners) {
  const std::vector<NetworkVariant> variants = {
      {ScheduleMode::kUntuned, nullptr},
      {ScheduleMode::kDefault, nullptr},
      {ScheduleMode::kTuned, std::make_shared<ConvSchedules>(*winners)}};
  STINT_ASSIGN_OR_RETURN(const std::vector<NetworkTimes> times,
                         timer->Time(variants, seconds));
  NetworkVerdict verdict{times[0], times[1], times[2]};
  for (const auto& [layer, by_default] : times[1].layer_us) {
    if (LayerUs(times[2], layer) > by_default) winners->Erase(layer);
  }
  if (times[2].run_us >= times[1].run_us) {
    *winners = {};
    verdict.tuned = verdict.by_default;
  }
  if (verdict.tuned.run_us > times[0].run_us) {
    *winners = untuned;
    verdict.tuned = verdict.untuned;
  }
  return verdict;
}

}  // namespace stint

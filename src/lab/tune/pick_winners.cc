#include "lab/tune/pick_winners.h"

#include <algorithm>
#include <set>

namespace stint {
namespace {

// How much slower alone a finalist of another kind may be.
constexpr double kNearly = 1.2;
// What a layer must gain in the network to leave the default.
constexpr double kLayerGain = 0.99;
// How often winners that are not the fastest are timed: a virtual machine whose
// CPUs are taken away for seconds slows threads that share a layer the most.
constexpr int kMostLooks = 3;

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

// The less disturbed of two looks at the same variants.
void TakeLess(const std::vector<NetworkTimes>& look,
              std::vector<NetworkTimes>* times) {
  for (size_t i = 0; i < look.size(); ++i) {
    NetworkTimes& kept = (*times)[i];
    kept.run_us = std::min(kept.run_us, look[i].run_us);
    for (const auto& [layer, us] : look[i].layer_us) {
      kept.layer_us[layer] = std::min(LayerUs(kept, layer), us);
    }
  }
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
  STINT_ASSIGN_OR_RETURN(std::vector<NetworkTimes> times,
                         timer->Time(variants, seconds / kMostLooks));
  for (int look = 1; look < kMostLooks; ++look) {
    if (times[2].run_us < std::min(times[0].run_us, times[1].run_us)) break;
    STINT_ASSIGN_OR_RETURN(const auto again,
                           timer->Time(variants, seconds / kMostLooks));
    TakeLess(again, &times);
  }
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

#include "lab/optimize/network_costs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "convert/compress/integers/min_cut.h"

namespace stint {
namespace {

constexpr int kMostTurns = 8;
// Into how many parts a knapsack divides the loss that it may spend.
constexpr size_t kLossParts = 400;
// Losses that trade-offs are made for, in nats, and prices: the network's whole
// time for so much. Single layers save a small part of it and lose less.
constexpr double kFirstLoss = 0.003;
constexpr double kLastLoss = 50;
constexpr double kNextLoss = 1.12;

double WholeTime(const NetworkCosts& costs) {
  double total = costs.rest_us;
  for (const CompressionCosts& layer : costs.layers) total += layer.plain[0].us;
  return total;
}

class Chooser {
 public:
  Chooser(double price, const NetworkCosts& costs)
      : price_(price),
        costs_(costs),
        factors_(costs.layers.size(), 1.0),
        channels_(costs.channels.size(), nullptr),
        chosen_(costs.layers.size(), nullptr) {}

  Combination Run() {
    ChooseLayers();
    for (int turn = 0; turn < kMostTurns && ChooseChannels(); ++turn) {
      ChooseLayers();
    }
    return Result();
  }

  Combination RunWithin(double loss) {
    ChooseLayers();
    for (const LayerChoice* choice : chosen_) loss -= choice->loss;
    if (loss > 0) FillWithin(loss);
    UpdateFactors();
    return Result();
  }

 private:
  double Cost(size_t layer, const LayerChoice& choice) const {
    return choice.us * factors_[layer] + price_ * choice.loss;
  }

  void ChooseLayers() {
    const size_t count = costs_.layers.size();
    std::vector<LabelCosts> labels(count);
    std::vector<const LayerChoice*> plain(count);
    for (size_t l = 0; l < count; ++l) {
      const CompressionCosts& layer = costs_.layers[l];
      plain[l] =
          &*std::min_element(layer.plain.begin(), layer.plain.end(),
                             [&](const LayerChoice& a, const LayerChoice& b) {
                               return Cost(l, a) < Cost(l, b);
                             });
      labels[l].cost[0] = Cost(l, *plain[l]);
      // A layer that has no bytes must never get that label.
      labels[l].cost[1] = layer.bytes ? Cost(l, *layer.bytes) : kNever;
    }
    std::vector<Disagreement> pairs;
    for (const LayerEdge& edge : costs_.edges) {
      pairs.push_back({edge.from, edge.to, edge.us});
    }
    const std::vector<bool> bytes = CheapestLabels(labels, pairs);
    for (size_t l = 0; l < count; ++l) {
      chosen_[l] = bytes[l] ? &*costs_.layers[l].bytes : plain[l];
    }
  }

  // Whether anything changed.
  bool ChooseChannels() {
    bool changed = false;
    for (size_t g = 0; g < costs_.channels.size(); ++g) {
      const ChannelChoice* best = nullptr;
      double least = 0;  // against keeping all
      for (const ChannelChoice& choice : costs_.channels[g].choices) {
        if (choice.ratio == 1 && OtherIsGone(g)) continue;
        const double cost = price_ * choice.loss - Saved(g, choice);
        if (cost < least) {
          least = cost;
          best = &choice;
        }
      }
      changed |= best != channels_[g];
      channels_[g] = best;
      UpdateFactors();
    }
    return changed;
  }

  // Whether a branch that ends in the same sum is chosen to go.
  bool OtherIsGone(size_t group) const {
    for (size_t g = 0; g < channels_.size(); ++g) {
      if (g != group && channels_[g] != nullptr && channels_[g]->ratio == 1 &&
          costs_.channels[g].sum >= 0 &&
          costs_.channels[g].sum == costs_.channels[group].sum) {
        return true;
      }
    }
    return false;
  }

  // Of every group at most one choice, so that they save most and lose at most
  // `loss` together.
  void FillWithin(double loss) {
    const size_t groups = costs_.channels.size();
    // Time saved by the first groups, by parts of the loss.
    std::vector<double> saved(kLossParts + 1, 0.0);
    std::vector<std::vector<const ChannelChoice*>> taken(
        groups, std::vector<const ChannelChoice*>(saved.size(), nullptr));
    for (size_t g = 0; g < groups; ++g) {
      const std::vector<double> before = saved;
      for (const ChannelChoice& choice : costs_.channels[g].choices) {
        const size_t parts = PartsOf(choice, loss);
        const double gain = Saved(g, choice);
        for (size_t p = parts; p <= kLossParts; ++p) {
          if (before[p - parts] + gain <= saved[p]) continue;
          saved[p] = before[p - parts] + gain;
          taken[g][p] = &choice;
        }
      }
    }
    size_t left = kLossParts;
    for (size_t g = groups; g-- > 0;) {
      channels_[g] = taken[g][left];
      if (channels_[g] != nullptr) left -= PartsOf(*channels_[g], loss);
    }
    KeepOneBranch();
  }

  // A knapsack does not know that branches exclude each other: of two that both
  // would go, the one that saves less stays.
  void KeepOneBranch() {
    std::vector<size_t> order(channels_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto saved = [&](size_t g) {
      return channels_[g] == nullptr ? 0 : Saved(g, *channels_[g]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return saved(a) < saved(b); });
    for (size_t g : order) {
      if (channels_[g] != nullptr && channels_[g]->ratio == 1 &&
          OtherIsGone(g)) {
        channels_[g] = nullptr;
      }
    }
  }

  // Rounded up; more than there are where it does not fit.
  static size_t PartsOf(const ChannelChoice& choice, double loss) {
    const double parts = std::ceil(choice.loss / loss * kLossParts);
    return parts > kLossParts ? kLossParts + 1 : static_cast<size_t>(parts);
  }

  // Time that layers would take less, if group g had all channels otherwise.
  double Saved(size_t g, const ChannelChoice& choice) const {
    double saved = 0;
    for (const auto& [layer, factor] : choice.factors) {
      saved += chosen_[layer]->us * FactorOf(layer, g) * (1 - factor);
    }
    return saved;
  }

  void UpdateFactors() {
    for (size_t l = 0; l < factors_.size(); ++l) {
      factors_[l] = FactorOf(l, channels_.size());
    }
  }

  // Of a layer's time, by what is chosen for all groups but one.
  double FactorOf(size_t layer, size_t without) const {
    double product = 1;
    for (size_t g = 0; g < channels_.size(); ++g) {
      if (g == without || channels_[g] == nullptr) continue;
      const auto own = channels_[g]->factors.find(layer);
      if (own != channels_[g]->factors.end()) product *= own->second;
    }
    return product;
  }

  Combination Result() const {
    Combination result;
    result.us = costs_.rest_us;
    for (size_t l = 0; l < chosen_.size(); ++l) {
      result.us += chosen_[l]->us * factors_[l];
      result.loss += chosen_[l]->loss;
      if (chosen_[l] != costs_.layers[l].plain.data()) {
        result.layers[costs_.layers[l].name] = chosen_[l]->what;
      }
    }
    for (const LayerEdge& edge : costs_.edges) {
      if (chosen_[edge.from]->what.int8 != chosen_[edge.to]->what.int8) {
        result.us += edge.us;
      }
    }
    for (size_t g = 0; g < channels_.size(); ++g) {
      if (channels_[g] == nullptr) continue;
      result.loss += channels_[g]->loss;
      result.layers[costs_.channels[g].layer].channels = channels_[g]->ratio;
    }
    return result;
  }

  const double price_;
  const NetworkCosts& costs_;
  std::vector<double> factors_;                 // by layer
  std::vector<const ChannelChoice*> channels_;  // by group; null: all stay
  std::vector<const LayerChoice*> chosen_;      // by layer
};

}  // namespace

Combination CheapestAt(double price, const NetworkCosts& costs) {
  return Chooser(price, costs).Run();
}

Combination FastestWithin(double loss, const NetworkCosts& costs) {
  return Chooser(WholeTime(costs) / loss, costs).RunWithin(loss);
}

std::vector<Combination> Tradeoffs(const NetworkCosts& costs) {
  std::vector<Combination> found;
  for (double loss = kFirstLoss; loss < kLastLoss; loss *= kNextLoss) {
    found.push_back(CheapestAt(WholeTime(costs) / loss, costs));
    found.push_back(FastestWithin(loss, costs));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Combination& a, const Combination& b) {
                     return a.loss < b.loss;
                   });
  std::vector<Combination> rows;
  for (Combination& combination : found) {
    const double least = rows.empty() ? WholeTime(costs) : rows.back().us;
    if (combination.us < least) rows.push_back(std::move(combination));
  }
  return rows;
}

}  // namespace stint

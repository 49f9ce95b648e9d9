#include "engine/plan/order_upgrades.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stint {
namespace {

double GainOf(const PlanLayer& layer, size_t group, const PlanUnit& unit) {
  double gain = 0;
  for (int s = unit.first_slice; s < unit.first_slice + unit.slices; ++s) {
    const ByFidelity& loss = layer.loss[static_cast<size_t>(s)];
    gain += loss[group - 1] - loss[group];
  }
  return gain;
}

// Whether the groups above 2 bits are cut into the same units.
bool HasColumns(const PlanLayer& layer) {
  const auto same = [](const PlanUnit& a, const PlanUnit& b) {
    return a.first_slice == b.first_slice && a.slices == b.slices;
  };
  for (size_t g = 2; g < layer.groups.size(); ++g) {
    if (!std::equal(layer.groups[g].begin(), layer.groups[g].end(),
                    layer.groups[1].begin(), layer.groups[1].end(), same)) {
      return false;
    }
  }
  return true;
}

// Upgrades of the same slices, neighbors with rising rates joined.
class Column {
 public:
  void Add(double gain, int64_t bytes) {
    pools_.push_back({gain, static_cast<double>(bytes), 1});
    while (pools_.size() > 1 &&
           pools_.back().rate() > pools_[pools_.size() - 2].rate()) {
      const Pool last = pools_.back();
      pools_.pop_back();
      pools_.back().gain += last.gain;
      pools_.back().bytes += last.bytes;
      pools_.back().upgrades += last.upgrades;
    }
  }
  std::vector<double> Rates() const {
    std::vector<double> rates;
    for (const Pool& pool : pools_) {
      rates.insert(rates.end(), pool.upgrades, pool.rate());
    }
    return rates;
  }

 private:
  struct Pool {
    double gain;
    double bytes;
    size_t upgrades;
    double rate() const { return gain / bytes; }
  };
  std::vector<Pool> pools_;
};

// By group and unit; those of group 0 do not count.
using Rates = std::vector<std::vector<double>>;

Rates OwnRates(const PlanLayer& layer) {
  Rates rates(layer.groups.size());
  for (size_t g = 1; g < layer.groups.size(); ++g) {
    for (const PlanUnit& unit : layer.groups[g]) {
      rates[g].push_back(GainOf(layer, g, unit) /
                         static_cast<double>(unit.bytes));
    }
  }
  return rates;
}

Rates JoinedRates(const PlanLayer& layer) {
  Rates rates(layer.groups.size());
  if (layer.groups.size() < 2) return rates;
  for (size_t u = 0; u < layer.groups[1].size(); ++u) {
    Column column;
    for (size_t g = 1; g < layer.groups.size(); ++g) {
      const PlanUnit& unit = layer.groups[g][u];
      column.Add(GainOf(layer, g, unit), unit.bytes);
    }
    const std::vector<double> joined = column.Rates();
    for (size_t g = 1; g < layer.groups.size(); ++g) {
      rates[g].push_back(joined[g - 1]);
    }
  }
  return rates;
}

// No unit has a higher rate than those of the group below with its slices.
void Fall(const PlanLayer& layer, Rates* rates) {
  std::vector<double> ceiling(layer.loss.size(), INFINITY);
  for (size_t g = 1; g < layer.groups.size(); ++g) {
    std::vector<double> next = ceiling;
    for (size_t u = 0; u < layer.groups[g].size(); ++u) {
      const PlanUnit& unit = layer.groups[g][u];
      const auto begin = ceiling.begin() + unit.first_slice;
      double& rate = (*rates)[g][u];
      rate = std::min(rate, *std::min_element(begin, begin + unit.slices));
      std::fill_n(next.begin() + unit.first_slice, unit.slices, rate);
    }
    ceiling = std::move(next);
  }
}

}  // namespace

std::vector<Upgrade> OrderUpgrades(const PlanProblem& problem) {
  std::vector<Upgrade> upgrades;
  std::vector<double> all_rates;
  for (size_t k = 0; k < problem.layers.size(); ++k) {
    const PlanLayer& layer = problem.layers[k];
    Rates rates = HasColumns(layer) ? JoinedRates(layer) : OwnRates(layer);
    Fall(layer, &rates);
    for (size_t g = 1; g < layer.groups.size(); ++g) {
      for (size_t u = 0; u < layer.groups[g].size(); ++u) {
        const PlanUnit& unit = layer.groups[g][u];
        upgrades.push_back({k, g, u, GainOf(layer, g, unit), unit.bytes});
        all_rates.push_back(rates[g][u]);
      }
    }
  }
  std::vector<size_t> order(upgrades.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return all_rates[a] > all_rates[b];
  });
  std::vector<Upgrade> sorted;
  for (size_t i : order) sorted.push_back(upgrades[i]);
  return sorted;
}

}  // namespace stint

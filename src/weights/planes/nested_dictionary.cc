#include "weights/planes/nested_dictionary.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "weights/planes/cut_cell.h"

namespace stint {
namespace {

constexpr int kMaxRounds = 1000;
// Levels up to here are cut one by one.
constexpr int kGreedyBits = 5;

// The edge at which cutting [begin, end) in two leaves the least error. Of
// several, the first.
int BestCut(const WeightHistogram& histogram, int begin, int end) {
  int best = begin;
  double least = std::numeric_limits<double>::infinity();
  for (int cut = begin; cut <= end; ++cut) {
    const double error =
        histogram.BestError(begin, cut) + histogram.BestError(cut, end);
    if (error < least) {
      least = error;
      best = cut;
    }
  }
  return best;
}

void SetValues(const WeightHistogram& histogram, const std::vector<int>& edges,
               int bits, PlaneDictionaries* values) {
  int8_t* to = values->data() + PlaneDictionaryOffset(bits);
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    to[i] = static_cast<int8_t>(histogram.BestValue(edges[i], edges[i + 1]));
  }
}

}  // namespace

std::vector<int> FitCells(const WeightHistogram& histogram, int cells) {
  std::vector<int> edges(static_cast<size_t>(cells) + 1);
  const double all = histogram.Weight(0, WeightHistogram::kBins);
  for (int i = 1; i < cells; ++i) {
    edges[i] = histogram.EdgeOfWeight(all * i / cells);
  }
  edges[cells] = WeightHistogram::kBins;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<int> before = edges;
    for (int i = 1; i < cells; ++i) {
      const double low = histogram.Mean(before[i - 1], before[i]);
      const double high = histogram.Mean(before[i], before[i + 1]);
      edges[i] = WeightHistogram::NearestEdge(0.5 * (low + high));
    }
    if (edges == before) break;
  }
  return edges;
}

NestedDictionary FitNestedDictionary(const WeightHistogram& histogram) {
  NestedDictionary dictionary;
  std::vector<int> edges = FitCells(histogram, 1 << kPlaneMinBits);
  SetValues(histogram, edges, kPlaneMinBits, &dictionary.values);
  for (int bits = kPlaneMinBits + 1; bits <= kGreedyBits; ++bits) {
    std::vector<int> finer = {0};
    for (size_t i = 0; i + 1 < edges.size(); ++i) {
      finer.push_back(BestCut(histogram, edges[i], edges[i + 1]));
      finer.push_back(edges[i + 1]);
    }
    edges = std::move(finer);
    SetValues(histogram, edges, bits, &dictionary.values);
  }
  std::array<std::vector<int>, 3> fine = {{{0}, {0}, {0}}};
  for (size_t i = 0; i + 1 < edges.size(); ++i) {
    const auto cuts = CutCell(histogram, edges[i], edges[i + 1]);
    for (size_t cut = 1; cut < cuts.size(); ++cut) {
      if (cut % 4 == 0) fine[0].push_back(cuts[cut]);
      if (cut % 2 == 0) fine[1].push_back(cuts[cut]);
      fine[2].push_back(cuts[cut]);
    }
  }
  for (int level = 0; level < 3; ++level) {
    SetValues(histogram, fine[level], kGreedyBits + 1 + level,
              &dictionary.values);
  }
  for (size_t code = 0; code + 1 < fine[2].size(); ++code) {
    std::fill(dictionary.codes.begin() + fine[2][code],
              dictionary.codes.begin() + fine[2][code + 1],
              static_cast<uint8_t>(code));
  }
  return dictionary;
}

}  // namespace stint

#include "lab/tune/cost_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked_math.h"

namespace stint {
namespace {

constexpr int kRounds = 120;
constexpr double kShrink = 0.3;
constexpr int kBins = 16;
constexpr size_t kLeastTrials = 8;

const char* const kPrimitives[] = {"generated", "depthwise", "pointwise",
                                   "winograd4", "winograd2", "direct",
                                   "spatial",   "implicit",  "im2col"};

double Log(double value) { return std::log2(1 + value); }

// One split of one feature: sums of what lies in each bin.
struct Histogram {
  std::array<double, kBins> sums = {};
  std::array<int, kBins> counts = {};
};

// Up to kBins - 1 thresholds that cut the values into equal parts.
std::vector<double> Thresholds(const std::vector<PlanFeatures>& features,
                               int f) {
  std::vector<double> values;
  values.reserve(features.size());
  for (const PlanFeatures& row : features) values.push_back(row[f]);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<double> thresholds;
  const size_t cuts = std::min<size_t>(kBins, values.size()) - 1;
  for (size_t i = 1; i <= cuts; ++i) {
    const size_t at = i * values.size() / (cuts + 1);
    thresholds.push_back((values[at - 1] + values[at]) / 2);
  }
  return thresholds;
}

}  // namespace

PlanFeatures FeaturesOf(const TuneProblem& p, const ConvPlan& plan) {
  const ConvF32Shape& s = p.shape;
  const ConvSchedule& c = plan.schedule;
  PlanFeatures f = {};
  size_t n = 0;
  for (const char* name : kPrimitives) f[n++] = plan.primitive == name ? 1 : 0;
  const int rows = std::max(1, c.tile_rows);
  for (int value :
       {c.tile_blocks, c.tile_rows, c.tile_pixels,
        c.tile_blocks * rows * c.tile_pixels, c.chunk, c.band, c.row_parts,
        c.block_parts, c.row_first, c.unroll, c.ahead}) {
    f[n++] = Log(value);
  }
  // Pixels and output blocks that tiles compute in vain, as a share.
  const int64_t width = s.taps() == 1 ? s.out_plane() : s.out_w;
  const int64_t pixels = std::max(1, c.tile_pixels);
  f[n++] =
      static_cast<double>(RoundUp(width, pixels)) / static_cast<double>(width);
  const int64_t blocks = CeilDiv(s.out_channels, ConvBlockedF32Block(p.isa));
  f[n++] = static_cast<double>(RoundUp(blocks, std::max(1, c.tile_blocks))) /
           static_cast<double>(blocks);
  for (int64_t value : {s.in_channels, s.out_channels, s.out_plane(), s.taps(),
                        s.stride_w, s.in_channels * s.out_channels * s.taps(),
                        s.groups, s.batch, static_cast<int64_t>(p.threads)}) {
    f[n++] = Log(static_cast<double>(value));
  }
  return f;
}

double CostOf(const TuneProblem& problem, double us) {
  const ConvF32Shape& s = problem.shape;
  const int64_t macs =
      s.batch * s.out_plane() * s.out_channels * s.group_in() * s.taps();
  return std::log(us / static_cast<double>(std::max<int64_t>(1, macs)));
}

void CostModel::Fit(const std::vector<PlanFeatures>& features,
                    const std::vector<double>& costs) {
  stumps_.clear();
  mean_ = 0;
  if (features.size() < kLeastTrials) return;
  for (double cost : costs) mean_ += cost / static_cast<double>(costs.size());
  std::vector<double> rest;
  for (double cost : costs) rest.push_back(cost - mean_);
  std::vector<std::vector<double>> cuts;
  std::vector<std::vector<uint8_t>> bins(kPlanFeatures);
  for (int f = 0; f < kPlanFeatures; ++f) {
    cuts.push_back(Thresholds(features, f));
    for (const PlanFeatures& row : features) {
      bins[f].push_back(static_cast<uint8_t>(
          std::upper_bound(cuts[f].begin(), cuts[f].end(), row[f]) -
          cuts[f].begin()));
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    Stump best{-1, 0, 0, 0};
    double best_gain = 1e-12;
    double total = 0;
    for (double r : rest) total += r;
    for (int f = 0; f < kPlanFeatures; ++f) {
      Histogram h;
      for (size_t i = 0; i < rest.size(); ++i) {
        h.sums[bins[f][i]] += rest[i];
        ++h.counts[bins[f][i]];
      }
      double sum = 0;
      int count = 0;
      for (size_t cut = 0; cut < cuts[f].size(); ++cut) {
        sum += h.sums[cut];
        count += h.counts[cut];
        const int others = static_cast<int>(rest.size()) - count;
        if (count == 0 || others == 0) continue;
        const double gain =
            sum * sum / count + (total - sum) * (total - sum) / others;
        if (gain <= best_gain) continue;
        best_gain = gain;
        best = {f, cuts[f][cut], kShrink * sum / count,
                kShrink * (total - sum) / others};
      }
    }
    if (best.feature < 0) return;
    stumps_.push_back(best);
    for (size_t i = 0; i < rest.size(); ++i) {
      rest[i] -=
          features[i][best.feature] < best.threshold ? best.below : best.above;
    }
  }
}

double CostModel::Predict(const PlanFeatures& features) const {
  double cost = mean_;
  for (const Stump& stump : stumps_) {
    cost +=
        features[stump.feature] < stump.threshold ? stump.below : stump.above;
  }
  return cost;
}

}  // namespace stint

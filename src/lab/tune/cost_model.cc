#include "lab/tune/cost_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

namespace {

// Features as bins between thresholds.
struct Binned {
  explicit Binned(const std::vector<PlanFeatures>& features)
      : bins(kPlanFeatures) {
    for (int f = 0; f < kPlanFeatures; ++f) {
      cuts.push_back(Thresholds(features, f));
      for (const PlanFeatures& row : features) {
        bins[f].push_back(static_cast<uint8_t>(
            std::upper_bound(cuts[f].begin(), cuts[f].end(), row[f]) -
            cuts[f].begin()));
      }
    }
  }
  std::vector<std::vector<double>> cuts;  // by feature
  std::vector<std::vector<uint8_t>> bins;
};

// Where to cut a feature so that both sides differ most in what is `rest`.
struct Cut {
  double gain = 0;
  double threshold = 0;
  double below = 0;  // means
  double above = 0;
};

Cut BestCut(const Binned& binned, int f, const std::vector<double>& rest,
            double total) {
  Histogram h;
  for (size_t i = 0; i < rest.size(); ++i) {
    h.sums[binned.bins[f][i]] += rest[i];
    ++h.counts[binned.bins[f][i]];
  }
  Cut best;
  double sum = 0;
  int count = 0;
  for (size_t cut = 0; cut < binned.cuts[f].size(); ++cut) {
    sum += h.sums[cut];
    count += h.counts[cut];
    const int others = static_cast<int>(rest.size()) - count;
    if (count == 0 || others == 0) continue;
    const double above = total - sum;
    const double gain = sum * sum / count + above * above / others;
    if (gain <= best.gain) continue;
    best = {gain, binned.cuts[f][cut], sum / count, above / others};
  }
  return best;
}

}  // namespace

void CostModel::Fit(const std::vector<PlanFeatures>& features,
                    const std::vector<double>& costs) {
  stumps_.clear();
  mean_ = 0;
  if (features.size() < kLeastTrials) return;
  for (double cost : costs) mean_ += cost / static_cast<double>(costs.size());
  std::vector<double> rest;
  for (double cost : costs) rest.push_back(cost - mean_);
  const Binned binned(features);
  for (int round = 0; round < kRounds; ++round) {
    const double total = std::accumulate(rest.begin(), rest.end(), 0.0);
    Cut best;
    int feature = -1;
    for (int f = 0; f < kPlanFeatures; ++f) {
      const Cut cut = BestCut(binned, f, rest, total);
      if (cut.gain <= best.gain + 1e-12) continue;
      best = cut;
      feature = f;
    }
    if (feature < 0) return;
    const Stump stump{feature, best.threshold, kShrink * best.below,
                      kShrink * best.above};
    stumps_.push_back(stump);
    for (size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= stump.At(features[i]);
    }
  }
}

double CostModel::Predict(const PlanFeatures& features) const {
  double cost = mean_;
  for (const Stump& stump : stumps_) cost += stump.At(features);
  return cost;
}

}  // namespace stint

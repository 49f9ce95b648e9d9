#include "weights/planes/channel_scales.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

namespace stint {
namespace {

constexpr double kOutliers = 0.001;
constexpr double kMostOutliers = 0.01;
// How much wider the grid may be than that of a plain int8 row, on average.
constexpr double kGridRatio = 1.1;
// Weights beyond this do not count for the spread of a channel.
constexpr double kTrim = 4;

// How many weights are how far from zero, in sixty-fourths of the spread.
constexpr int kSpreadSteps = 64;
constexpr int kMaxSpread = 64;
using SpreadCounts = std::array<int64_t, kSpreadSteps * kMaxSpread>;

struct Row {
  double spread = 0;
  double max = 0;
};

Row Measure(std::span<const float> row) {
  Row found{SpreadOf(row), 0};
  for (float w : row) {
    found.max = std::max(found.max, std::abs(static_cast<double>(w)));
  }
  return found;
}

void Count(std::span<const float> row, double spread, SpreadCounts* counts) {
  if (spread == 0 || !std::isfinite(spread)) return;
  const double steps = kSpreadSteps / spread;
  for (float w : row) {
    const double at = std::abs(static_cast<double>(w)) * steps;
    ++(*counts)[static_cast<size_t>(
        std::min<double>(at, static_cast<double>(counts->size() - 1)))];
  }
}

// The spread that all but `share` of the weights lie within.
double SpreadWithin(const SpreadCounts& counts, double share) {
  int64_t all = 0;
  for (int64_t count : counts) all += count;
  auto beyond = static_cast<int64_t>(share * static_cast<double>(all));
  size_t i = counts.size();
  while (i > 1 && counts[i - 1] <= beyond) beyond -= counts[--i];
  return static_cast<double>(i) / kSpreadSteps;
}

// How many spreads the grid reaches.
double Reach(const std::vector<Row>& rows, const SpreadCounts& counts) {
  double sum = 0;
  int64_t count = 0;
  for (const Row& row : rows) {
    if (row.spread == 0) continue;
    const double ratio = row.max / row.spread;
    sum += ratio * ratio;
    ++count;
  }
  if (count == 0) return 1;
  const double plain = std::sqrt(sum / static_cast<double>(count));
  return std::max(
      SpreadWithin(counts, kMostOutliers),
      std::min(SpreadWithin(counts, kOutliers), kGridRatio * plain));
}

}  // namespace

double SpreadOf(std::span<const float> weights) {
  double spread = 0;
  double limit = std::numeric_limits<double>::infinity();
  // The second time without what is far out.
  for (int round = 0; round < 2; ++round) {
    double sum = 0;
    int64_t count = 0;
    for (float w : weights) {
      const double size = std::abs(static_cast<double>(w));
      if (size > limit) continue;
      sum += size * size;
      ++count;
    }
    spread = count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
    limit = kTrim * spread;
  }
  return spread;
}

Result<std::vector<float>> FindChannelScales(const MatrixRows& rows,
                                             ThreadPool* pool) {
  std::vector<Row> found(static_cast<size_t>(rows.outputs));
  SpreadCounts counts{};
  std::mutex mutex;
  pool->ParallelFor(rows.outputs, kRowsAtOnce, [&](int64_t begin, int64_t end) {
    SpreadCounts own{};
    std::vector<float> buffer(static_cast<size_t>(kRowsAtOnce * rows.inputs));
    for (int64_t i = begin; i < end; i += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, end - i);
      rows.copy(i, std::span(buffer).first(count * rows.inputs));
      for (int64_t r = 0; r < count; ++r) {
        const std::span<const float> row(buffer.data() + r * rows.inputs,
                                         static_cast<size_t>(rows.inputs));
        found[i + r] = Measure(row);
        Count(row, found[i + r].spread, &own);
      }
    }
    const std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < own.size(); ++i) counts[i] += own[i];
  });
  for (const Row& row : found) {
    if (!std::isfinite(row.spread)) {
      return InvalidArgument("has weights that are not finite");
    }
  }
  const double reach = Reach(found, counts);
  std::vector<float> scales;
  for (const Row& row : found) {
    scales.push_back(static_cast<float>(row.spread * reach / kOutlierLimit));
  }
  return scales;
}

}  // namespace stint

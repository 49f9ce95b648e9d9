#include "engine/elastic/importance/expect_answers.h"

#include <algorithm>
#include <cmath>

#include "engine/elastic/importance/shard_losses.h"

namespace stint {
namespace {

struct Point {
  double predicted = 0;
  double loss = 0;
  double error = 0;
  double same = 1;
};

// As the planner predicts it now, whatever did when the file was packed.
double PredictedLoss(const ShardCatalog& catalog,
                     const std::vector<std::vector<ByFidelity>>& losses,
                     const PlanCheck& check) {
  double loss = 0;
  for (size_t l = 0; l < check.bits.size(); ++l) {
    for (size_t s = 0; s < check.bits[l].size(); ++s) {
      const int bits = check.bits[l][s];
      if (bits > 0)
        loss += losses[l][s][static_cast<size_t>(bits - kPlaneMinBits)];
    }
  }
  if (check.sub_network < 0) return loss;
  return loss +
         static_cast<double>(
             catalog.sub_networks[static_cast<size_t>(check.sub_network)].loss);
}

// Neighbors that fall become their mean, until none does.
void MakeRise(std::vector<Point>* points, double Point::*of) {
  struct Pool {
    double sum;
    size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const Point& point : *points) {
    pools.push_back({point.*of, 1});
    while (pools.size() > 1 &&
           pools[pools.size() - 2].mean() > pools.back().mean()) {
      pools[pools.size() - 2].sum += pools.back().sum;
      pools[pools.size() - 2].count += pools.back().count;
      pools.pop_back();
    }
  }
  size_t at = 0;
  for (const Pool& pool : pools) {
    for (size_t i = 0; i < pool.count; ++i) (*points)[at++].*of = pool.mean();
  }
}

Point Between(const std::vector<Point>& points, double predicted) {
  const auto after = std::lower_bound(
      points.begin(), points.end(), predicted,
      [](const Point& p, double value) { return p.predicted < value; });
  if (after == points.begin()) return points.front();
  if (after == points.end()) return points.back();
  const Point& a = *(after - 1);
  const Point& b = *after;
  const double share = (predicted - a.predicted) / (b.predicted - a.predicted);
  const auto mix = [&](double x, double y) { return x + share * (y - x); };
  return {predicted, mix(a.loss, b.loss), mix(a.error, b.error),
          mix(a.same, b.same)};
}

}  // namespace

std::optional<ExpectedAnswers> ExpectAnswers(const ShardCatalog& catalog,
                                             double predicted_loss) {
  if (catalog.checks.empty() || catalog.check_rows == 0) return std::nullopt;
  const auto losses = ShardLosses(catalog);
  // Without any loss predicted, answers are those of the whole.
  std::vector<Point> points = {{}};
  bool classes = true;
  for (const PlanCheck& check : catalog.checks) {
    const auto same = static_cast<double>(check.same);
    classes = classes && same >= 0;
    points.push_back({PredictedLoss(catalog, losses, check),
                      static_cast<double>(check.loss),
                      static_cast<double>(check.error), -same});
  }
  points[0].same = -1;
  std::stable_sort(
      points.begin(), points.end(),
      [](const Point& a, const Point& b) { return a.predicted < b.predicted; });
  MakeRise(&points, &Point::loss);
  MakeRise(&points, &Point::same);
  const Point point = Between(points, predicted_loss);
  ExpectedAnswers expected;
  expected.rows = catalog.check_rows;
  expected.loss = point.loss;
  expected.loss_error = point.error;
  expected.same = classes ? -point.same : -1;
  // Of few rows none may differ, and yet some will.
  const auto n = static_cast<double>(catalog.check_rows);
  const double share = (expected.same * n + 0.5) / (n + 1);
  expected.same_error = classes ? std::sqrt(share * (1 - share) / n) : 0;
  return expected;
}

}  // namespace stint

#include "engine/elastic/costs/model_costs.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace stint {
namespace {

// Chosen, not swept: between lengths that are near, times are taken to lie on a
// line.
constexpr size_t kMostPoints = 32;
constexpr int64_t kMostApart = 4;
// Beyond the last point times grow a little faster than the inputs, before the
// first they hardly fall.
constexpr double kMostBeyond = 1.25;
constexpr int64_t kMostBefore = 2;
constexpr double kLongestNs = 1e15;
constexpr double kMostSlowdown = 1e3;
constexpr int64_t kMostBytes = int64_t{1} << 50;
constexpr size_t kMostStages = 100'000;
constexpr int64_t kMostElements = int64_t{1} << 40;

using Point = ModelCosts::Point;

// Applies `f` to every pair of times.
template <typename F>
LayerCosts Join(const LayerCosts& a, const LayerCosts& b, F f) {
  LayerCosts joined = a;
  joined.before_ns = f(a.before_ns, b.before_ns);
  joined.after_ns = f(a.after_ns, b.after_ns);
  for (size_t s = 0; s < joined.stages.size(); ++s) {
    LayerCosts::Stage& stage = joined.stages[s];
    stage.fixed_ns = f(a.stages[s].fixed_ns, b.stages[s].fixed_ns);
    for (size_t i = 0; i < stage.sliced_ns.size(); ++i) {
      stage.sliced_ns[i] =
          f(a.stages[s].sliced_ns[i], b.stages[s].sliced_ns[i]);
    }
  }
  return joined;
}

Point Between(const Point& a, const Point& b, int64_t elements) {
  const double share = static_cast<double>(elements - a.elements) /
                       static_cast<double>(b.elements - a.elements);
  const bool measured = a.memory_bytes > 0 && b.memory_bytes > 0;
  Point point{a.batch, elements,
              measured ? std::max(a.memory_bytes, b.memory_bytes) : 0,
              Join(a.costs, b.costs,
                   [&](double x, double y) { return x + (y - x) * share; })};
  return point;
}

Point Beyond(const Point& last, int64_t elements) {
  const double ratio =
      static_cast<double>(elements) / static_cast<double>(last.elements);
  Point point = last;
  point.elements = elements;
  // Attention grows with the square.
  point.costs = Join(last.costs, last.costs, [&](double x, double) {
    return x * std::pow(ratio, 1.5);
  });
  point.memory_bytes = static_cast<int64_t>(
      static_cast<double>(last.memory_bytes) * ratio * ratio);
  return point;
}

bool IsTime(double ns) { return ns >= 0 && ns <= kLongestNs; }

bool ParseShape(std::istringstream* words, Point* point) {
  LayerCosts& costs = point->costs;
  return (*words >> point->batch >> point->elements >> point->memory_bytes >>
          costs.before_ns >> costs.after_ns) &&
         point->batch >= 0 && point->elements > 0 &&
         point->elements <= kMostElements && point->memory_bytes >= 0 &&
         point->memory_bytes <= kMostBytes && IsTime(costs.before_ns) &&
         IsTime(costs.after_ns);
}

bool ParseStage(const std::string& line, LayerCosts::Stage* stage) {
  std::istringstream words(line);
  if (!(words >> stage->fixed_ns) || !IsTime(stage->fixed_ns)) return false;
  for (double& ns : stage->sliced_ns) {
    if (!(words >> ns) || !IsTime(ns)) return false;
  }
  std::string more;
  return !(words >> more);
}

}  // namespace

std::optional<Point> ModelCosts::At(int64_t batch, int64_t elements) const {
  const Point* below = nullptr;
  const Point* above = nullptr;
  for (const Point& point : points_) {
    if (point.batch != batch) continue;
    if (point.elements <= elements) below = &point;
    if (point.elements >= elements && above == nullptr) above = &point;
  }
  if (below != nullptr && below->elements == elements) return *below;
  if (below != nullptr && above != nullptr) {
    if (above->elements > kMostApart * below->elements) return std::nullopt;
    return Between(*below, *above, elements);
  }
  if (above != nullptr && above->elements <= kMostBefore * elements) {
    return *above;
  }
  if (below != nullptr &&
      static_cast<double>(elements) <=
          kMostBeyond * static_cast<double>(below->elements)) {
    return Beyond(*below, elements);
  }
  return std::nullopt;
}

void ModelCosts::Add(const Point& point) {
  const auto before = [](const Point& a, const Point& b) {
    return a.batch != b.batch ? a.batch < b.batch : a.elements < b.elements;
  };
  const auto at =
      std::lower_bound(points_.begin(), points_.end(), point, before);
  if (at != points_.end() && at->batch == point.batch &&
      at->elements == point.elements &&
      at->costs.stages.size() == point.costs.stages.size()) {
    at->costs = Join(at->costs, point.costs,
                     [](double a, double b) { return std::min(a, b); });
    at->memory_bytes = std::max(at->memory_bytes, point.memory_bytes);
    return;
  }
  if (points_.size() >= kMostPoints) {
    // Its neighbor says nearly the same.
    points_.erase(at == points_.end() ? at - 1 : at);
  }
  points_.insert(
      std::upper_bound(points_.begin(), points_.end(), point, before), point);
}

ModelCosts ModelCosts::WithoutMemory() const {
  ModelCosts costs = *this;
  for (Point& point : costs.points_) point.memory_bytes = 0;
  return costs;
}

bool ModelCosts::HaveStages(size_t stages) const {
  return std::all_of(points_.begin(), points_.end(), [&](const Point& point) {
    return point.costs.stages.size() == stages;
  });
}

std::string ModelCosts::ToText() const {
  std::ostringstream out;
  out.precision(7);
  if (slowdown_ > 0) out << "slowdown " << slowdown_ << '\n';
  for (const Point& point : points_) {
    out << "shape " << point.batch << ' ' << point.elements << ' '
        << point.memory_bytes << ' ' << point.costs.before_ns << ' '
        << point.costs.after_ns << '\n';
    for (const LayerCosts::Stage& stage : point.costs.stages) {
      out << stage.fixed_ns;
      for (double ns : stage.sliced_ns) out << ' ' << ns;
      out << '\n';
    }
  }
  return out.str();
}

Result<ModelCosts> ModelCosts::Parse(std::string_view text) {
  ModelCosts costs;
  std::vector<Point> points;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string first;
    bool fits = static_cast<bool>(words >> first);
    if (fits && first == "shape") {
      fits = points.size() < kMostPoints &&
             ParseShape(&words, &points.emplace_back());
    } else if (fits && first == "slowdown") {
      fits = (words >> costs.slowdown_) && costs.slowdown_ > 0 &&
             costs.slowdown_ <= kMostSlowdown;
    } else if (fits) {
      fits = !points.empty() &&
             points.back().costs.stages.size() < kMostStages &&
             ParseStage(line, &points.back().costs.stages.emplace_back());
    }
    if (!fits) {
      return Damaged("costs of a model: line " + std::to_string(number) +
                     " is wrong: " + line.substr(0, 80));
    }
  }
  for (const Point& point : points) costs.Add(point);
  return costs;
}

}  // namespace stint

#include "lab/tax/compare_curves.h"

#include <algorithm>
#include <string_view>

#include "core/base/quantity.h"

namespace stint {
namespace {

constexpr int kLeastForRegression = 3;
constexpr size_t kLeastForLine = 3;

constexpr std::string_view kDelayed = "stint:delay=";

const TaxCurve* FindStint(const TaxReport& report, const TaxCurve& like) {
  for (const TaxCurve& curve : report.curves) {
    if (curve.runtime == "stint" && curve.model == like.model &&
        curve.axis == like.axis && curve.fixed == like.fixed) {
      return &curve;
    }
  }
  return nullptr;
}

const TaxPoint* FindPoint(const TaxCurve& curve, double size) {
  for (const TaxPoint& point : curve.points) {
    if (point.size == size) return &point;
  }
  return nullptr;
}

double Quickest(const TaxPoint& point) {
  double least = point.run_ms.value;
  for (const auto& [round, ms] : point.process_ms) least = std::min(least, ms);
  return least;
}

// What does not grow with the size, by a line through the quickest process of
// each size: a disturbance can only slow one down, and two or three processes
// have no median worth the name.
std::optional<double> FixedMs(const TaxCurve& curve) {
  if (curve.points.size() < kLeastForLine) return std::nullopt;
  std::vector<double> sizes, times;
  for (const TaxPoint& point : curve.points) {
    sizes.push_back(point.size);
    times.push_back(Quickest(point));
  }
  return FitHinge(sizes, times).fixed_ms;
}

// The median difference over all sizes and the rounds that both have: the shift
// between two curves of one slope.
std::optional<double> ShiftMs(const TaxCurve& with, const TaxCurve& without) {
  std::vector<double> differences;
  for (const TaxPoint& point : with.points) {
    const TaxPoint* plain = FindPoint(without, point.size);
    if (plain == nullptr) continue;
    for (const auto& [round, ms] : point.process_ms) {
      const auto other = plain->process_ms.find(round);
      if (other == plain->process_ms.end()) continue;
      differences.push_back(ms - other->second);
    }
  }
  if (differences.empty()) return std::nullopt;
  return Median(differences);
}

// What each estimator says that the delayed run has more than the plain one.
void AddRecovered(const TaxCurve& plain, const TaxCurve& delayed,
                  double delay_us, TaxReport* report) {
  if (!delayed.kernels) return;
  const double injected_ms = *delayed.kernels * delay_us * 1e-3;
  const auto add = [&](const char* estimator, std::optional<double> with,
                       std::optional<double> without) {
    if (!with || !without) return;
    report->recovered.push_back(
        {plain.model, estimator, injected_ms, *with - *without});
  };
  add("hinge", FixedMs(delayed), FixedMs(plain));
  add("shift", ShiftMs(delayed, plain), 0);
  add("subtraction", delayed.OutsideMs(), plain.OutsideMs());
  if (delayed.twin_ms && plain.twin_ms) {
    add("twin", delayed.twin_ms->value, plain.twin_ms->value);
  }
}

}  // namespace

void AddRatios(TaxReport* report) {
  for (TaxCurve& curve : report->curves) {
    const TaxCurve* stint = FindStint(*report, curve);
    if (stint == nullptr || stint == &curve) continue;
    for (TaxPoint& point : curve.points) {
      const TaxPoint* ours = FindPoint(*stint, point.size);
      if (ours == nullptr) continue;
      point.ratio_to_stint = RatioByRound(point.process_ms, ours->process_ms);
    }
  }
}

void CheckEstimators(TaxReport* report) {
  for (const TaxCurve& delayed : report->curves) {
    if (!delayed.runtime.starts_with(kDelayed) || delayed.axis != "batch" ||
        !delayed.ok()) {
      continue;
    }
    const auto delay_ns =
        ParseDurationNs(delayed.runtime.substr(kDelayed.size()));
    const TaxCurve* plain = FindStint(*report, delayed);
    if (!delay_ns.ok() || plain == nullptr || !plain->ok()) continue;
    AddRecovered(*plain, delayed, static_cast<double>(*delay_ns) * 1e-3,
                 report);
  }
}

void AddRegressions(TaxReport* report) {
  std::vector<std::string> runtimes;
  for (const TaxCurve& curve : report->curves) {
    if (std::find(runtimes.begin(), runtimes.end(), curve.runtime) ==
        runtimes.end()) {
      runtimes.push_back(curve.runtime);
    }
  }
  for (const std::string& runtime : runtimes) {
    for (const double batch : {1.0, 64.0}) {
      std::vector<double> macs, nodes, ms;
      for (const TaxCurve& curve : report->curves) {
        if (curve.runtime != runtime || curve.axis != "batch" ||
            curve.size.nodes == 0) {
          continue;
        }
        for (const TaxPoint& point : curve.points) {
          if (point.size != batch) continue;
          macs.push_back(static_cast<double>(curve.size.macs));
          nodes.push_back(static_cast<double>(curve.size.nodes));
          ms.push_back(point.run_ms.value);
        }
      }
      const auto count = static_cast<int>(ms.size());
      if (count < kLeastForRegression) continue;
      const LineFit by_nodes = FitLine(nodes, ms);
      report->regressions.push_back({runtime, batch, count,
                                     FitLine(macs, ms).r2, by_nodes.r2,
                                     by_nodes.slope * 1e3});
    }
  }
}

}  // namespace stint

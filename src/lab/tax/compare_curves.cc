#include "lab/tax/compare_curves.h"

#include <algorithm>

namespace stint {
namespace {

constexpr int kLeastForRegression = 3;

const TaxCurve* FindCurve(const TaxReport& report, const std::string& model,
                          const std::string& runtime) {
  for (const TaxCurve& curve : report.curves) {
    if (curve.model == model && curve.runtime == runtime &&
        curve.axis == "batch" && curve.ok()) {
      return &curve;
    }
  }
  return nullptr;
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
  add("hinge", delayed.HingeMs(), plain.HingeMs());
  add("subtraction", delayed.OutsideMs(), plain.OutsideMs());
  if (delayed.twin_ms && plain.twin_ms) {
    add("twin", delayed.twin_ms->value, plain.twin_ms->value);
  }
}

}  // namespace

void CheckEstimators(double delay_us, TaxReport* report) {
  for (const TaxCurve& plain : report->curves) {
    if (plain.runtime != "stint" || plain.axis != "batch" || !plain.ok()) {
      continue;
    }
    const std::string delayed =
        "stint:delay=" + std::to_string(static_cast<int64_t>(delay_us)) + "us";
    const TaxCurve* with = FindCurve(*report, plain.model, delayed);
    if (with != nullptr) AddRecovered(plain, *with, delay_us, report);
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
        if (curve.runtime != runtime || curve.axis != "batch") continue;
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

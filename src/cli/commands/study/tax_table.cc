#include "cli/commands/study/tax_table.h"

#include <cmath>
#include <cstdio>

#include "cli/commands/bench/noise_table.h"

namespace stint::cli {
namespace {

// What an estimator may be off by when the overhead is known.
constexpr double kRecoverable = 0.1;

Json OrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json EstimateJson(const std::optional<Estimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", OrNull(estimate->value)},
          {"low", OrNull(estimate->KnownLow())},
          {"high", OrNull(estimate->KnownHigh())}};
}

Json PointJson(const TaxCurve& curve, const TaxPoint& point) {
  return {{curve.axis, point.size},
          {"run_ms", EstimateJson(point.run_ms)},
          {"cpu_ms", OrNull(point.cpu_ms)},
          {"kernel_ms", OrNull(point.kernel_ms)},
          {"profiled_ms", OrNull(point.profiled_ms)},
          {"outside_kernels_ms", OrNull(point.outside_ms())},
          {"twin_share", curve.twin_ms
                             ? OrNull(curve.twin_ms->value / point.run_ms.value)
                             : Json(nullptr)}};
}

Json CurveJson(const TaxCurve& curve) {
  Json json = {{"model", curve.model},     {"runtime", curve.runtime},
               {"version", curve.version}, {"axis", curve.axis},
               {"fixed", curve.fixed},     {"status", curve.status},
               {"reason", curve.reason},   {"note", curve.note},
               {"macs", curve.size.macs},  {"nodes", curve.size.nodes}};
  json["kernels"] = OrNull(curve.kernels);
  json["max_difference"] = OrNull(curve.max_difference);
  json["twin_ms"] = EstimateJson(curve.twin_ms);
  json["points"] = Json::array();
  for (const TaxPoint& point : curve.points) {
    json["points"].push_back(PointJson(curve, point));
  }
  json["hinge"] = nullptr;
  if (curve.hinge) {
    const HingeEstimate& hinge = *curve.hinge;
    json["hinge"] = {{"floor_ms", EstimateJson(hinge.floor_ms)},
                     {"fixed_ms", EstimateJson(hinge.fixed_ms)},
                     {"per_item_ms", EstimateJson(hinge.per_item_ms)},
                     {"crossover", EstimateJson(hinge.crossover)},
                     {"log_rms", hinge.fit.log_rms},
                     {"warnings", hinge.warnings}};
  }
  return json;
}

std::string Number(const std::optional<double>& value, const char* format) {
  if (!value || !std::isfinite(*value)) return "-";
  char text[48];
  std::snprintf(text, sizeof(text), format, *value);
  return text;
}

std::string Interval(const std::optional<Estimate>& estimate) {
  return estimate ? EstimateText(*estimate, "%.3g") : "-";
}

void PrintCurve(const TaxCurve& curve) {
  Print("  %-22s", curve.runtime.c_str());
  if (curve.points.empty()) {
    Print(" %s: %s\n", curve.status.c_str(), curve.reason.c_str());
    return;
  }
  for (const TaxPoint& point : curve.points) {
    Print(" %8.3f", point.run_ms.value);
  }
  const TaxPoint& first = curve.points.front();
  std::optional<double> share, per_node_us;
  if (curve.twin_ms) {
    share = curve.twin_ms->value / first.run_ms.value * 100;
    per_node_us =
        curve.twin_ms->value * 1e3 / static_cast<double>(curve.size.nodes);
  }
  Print(
      "  %-20s %8s %7s %7s %8s",
      curve.hinge ? Interval(curve.hinge->fixed_ms).c_str() : "-",
      Number(curve.twin_ms ? std::optional(curve.twin_ms->value) : std::nullopt,
             "%.3f")
          .c_str(),
      Number(share, "%.1f%%").c_str(), Number(per_node_us, "%.1f").c_str(),
      Number(first.outside_ms(), "%.3f").c_str());
  if (curve.hinge && curve.hinge->floor_ms) {
    Print("  floor %s until %s %s", Interval(curve.hinge->floor_ms).c_str(),
          curve.axis.c_str(), Interval(curve.hinge->crossover).c_str());
  }
  if (!curve.note.empty()) Print("  %s", curve.note.c_str());
  if (curve.status != "ok") {
    Print("  %s: %s", curve.status.c_str(), curve.reason.c_str());
  }
  Print("\n");
}

void PrintRecovered(const TaxReport& report) {
  if (report.recovered.empty()) return;
  Print("estimators on an overhead of known size\n");
  for (const RecoveredOverhead& row : report.recovered) {
    Print("  %-14s %-12s injected %8.3f ms, found %8.3f ms, %+.1f %%%s\n",
          row.model.c_str(), row.estimator.c_str(), row.injected_ms,
          row.recovered_ms, row.error() * 100,
          std::abs(row.error()) > kRecoverable ? "  NOT within 10 %" : "");
  }
}

void PrintRegressions(const TaxReport& report) {
  if (report.regressions.empty()) return;
  Print("latency over models, explained by (R2)\n");
  for (const TaxRegression& row : report.regressions) {
    Print(
        "  %-22s batch %-3.0f  work %.2f  operators %.2f (%.1f us each, %d "
        "models)\n",
        row.runtime.c_str(), row.batch, row.macs_r2, row.nodes_r2,
        row.us_per_node, row.models);
  }
}

}  // namespace

Json TaxJson(const TaxReport& report) {
  Json json = {{"points", report.count.points},
               {"done", report.count.done},
               {"failed", report.count.failed},
               {"too_noisy", !AllQuiet(report.noise)}};
  json["noise"] = Json::object();
  for (const NoiseRatio& noise : report.noise) {
    Json& row = json["noise"][ValueOf(noise.condition, "model")];
    row = EstimateJson(noise.ratio);
    AddNoise(noise, &row);
  }
  json["curves"] = Json::array();
  for (const TaxCurve& curve : report.curves) {
    json["curves"].push_back(CurveJson(curve));
  }
  json["recovered"] = Json::array();
  for (const RecoveredOverhead& row : report.recovered) {
    json["recovered"].push_back({{"model", row.model},
                                 {"estimator", row.estimator},
                                 {"injected_ms", row.injected_ms},
                                 {"recovered_ms", row.recovered_ms},
                                 {"error", row.error()}});
  }
  json["regressions"] = Json::array();
  for (const TaxRegression& row : report.regressions) {
    json["regressions"].push_back({{"runtime", row.runtime},
                                   {"batch", row.batch},
                                   {"models", row.models},
                                   {"macs_r2", OrNull(row.macs_r2)},
                                   {"nodes_r2", OrNull(row.nodes_r2)},
                                   {"us_per_node", OrNull(row.us_per_node)}});
  }
  return json;
}

void PrintTaxTable(const TaxReport& report) {
  std::string shown;
  for (const TaxCurve& curve : report.curves) {
    const std::string title = curve.model + ", ms over " + curve.axis;
    if (title != shown) {
      shown = title;
      Print("%s", title.c_str());
      for (const TaxPoint& point : curve.points) {
        Print(" %.0f", point.size);
      }
      Print(
          " (%s): then the part that does not grow [95 %%], the tiny twin ms, "
          "its share, us per operator, ms outside of kernels\n",
          curve.fixed.c_str());
    }
    PrintCurve(curve);
  }
  PrintRecovered(report);
  PrintRegressions(report);
  for (const NoiseRatio& noise : report.noise) {
    Print("%s: ", ValueOf(noise.condition, "model").c_str());
    PrintNoise(noise);
  }
  Print("%lld points, %lld done, %lld failed\n",
        static_cast<long long>(report.count.points),
        static_cast<long long>(report.count.done),
        static_cast<long long>(report.count.failed));
}

}  // namespace stint::cli

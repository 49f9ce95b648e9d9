#pragma once
// What a framework-tax study says: a curve per runtime and model, three
// estimates of the tax, and how well the estimators find a tax that is known.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/networks/make_network.h"
#include "lab/study/paired_rounds.h"
#include "lab/study/run_study.h"
#include "lab/tax/hinge_fit.h"

namespace stint {

inline constexpr char kTwinSuffix[] = "/tiny";

// One size (batch, or sequence) on a curve. Of the runs of a process the quick
// tenth counts: other programs can only slow a run down.
struct TaxPoint {
  double size = 0;
  Estimate run_ms;                         // median over processes
  std::map<int, double> process_ms;        // of the processes, by round
  std::optional<Estimate> ratio_to_stint;  // of run_ms, by pairs of rounds
  std::optional<double> kernel_ms;         // by the runtime's profiler
  std::optional<double> profiled_ms;       // a run while it was profiled
  std::optional<double> cpu_ms;

  // Unprofiled time less kernel time; may be negative, and is then shown so.
  std::optional<double> outside_ms() const {
    if (!kernel_ms) return std::nullopt;
    return run_ms.value - *kernel_ms;
  }
};

// One runtime on one model over `axis`, everything else fixed.
struct TaxCurve {
  std::string model;
  std::string runtime;
  std::string version;
  std::string axis;    // "batch" or "seq"
  std::string fixed;   // the other axes: "seq=128 threads=2"
  std::string status;  // "ok", or what went wrong
  std::string reason;
  std::string note;  // ThreadsNote of the first point that has one
  std::vector<TaxPoint> points;
  std::optional<HingeEstimate> hinge;    // with at least three points
  std::optional<Estimate> twin_ms;       // the tiny twin at the first size
  std::optional<double> kernels;         // of a run, by the profiler
  std::optional<double> max_difference;  // of the outputs, to the reference
  NetworkSize size;                      // of one item; 0: not recorded

  bool ok() const { return status == "ok" && !points.empty(); }
  // The tax per run as each estimator sees it, at the first size.
  std::optional<double> HingeMs() const;    // the fixed part
  std::optional<double> OutsideMs() const;  // subtraction
};

// How an estimator saw an overhead of known size.
struct RecoveredOverhead {
  std::string model;
  // "hinge": what does not grow with the batch. "shift": the difference of the
  // two curves at all batches. "subtraction", "twin": at the first batch.
  std::string estimator;
  double injected_ms = 0;
  double recovered_ms = 0;

  double error() const { return recovered_ms / injected_ms - 1; }
};

// Latency explained by work and by the number of operators, over models.
struct TaxRegression {
  std::string runtime;
  double batch = 1;
  int models = 0;
  double macs_r2 = 0;
  double nodes_r2 = 0;
  double us_per_node = 0;
};

struct TaxReport {
  StudyCount count;
  std::vector<TaxCurve> curves;
  std::vector<RecoveredOverhead> recovered;
  std::vector<TaxRegression> regressions;
  // stint against itself: per model at the first batch.
  std::vector<NoiseRatio> noise;
};

// Sizes of networks are samples (kMacsSample, kNodesSample) of the points.
inline constexpr char kMacsSample[] = "macs";
inline constexpr char kNodesSample[] = "nodes";

Result<TaxReport> MakeTaxReport(const Study& study, StudyDatabase* database);

}  // namespace stint

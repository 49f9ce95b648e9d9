#pragma once
// Databases of made-up studies for the tests of reports.

#include <gtest/gtest.h>

#include <string>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/peers/peer_points.h"
#include "lab/report/sections.h"
#include "lab/study/run_study.h"

namespace stint {

// What would do harm if it stood in a page as it is.
constexpr char kHostile[] =
    "</script><img src=x onerror=alert(1)>\x1b[2J|`a`,\"b\"";

// 2 ms fixed and 1 ms per item, three times as much in the peer.
inline Outcome Timed(const Point& point) {
  const double batch = std::stod(ValueOf(point.condition, "batch"));
  const bool peer = ValueOf(point.treatment, "runtime") == "peer";
  const double run_ms = (2 + batch) * (peer ? 3 : 1);
  Outcome outcome;
  outcome.facts["version"] = kHostile;
  outcome.samples["run_ms"] = {run_ms, run_ms, run_ms};
  outcome.samples["cpu_ms"] = {run_ms};
  outcome.samples["peak_rss_bytes"] = {1e7};
  outcome.samples["kernel_ms"] = {run_ms - 0.5};
  outcome.samples["kernels"] = {10};
  outcome.samples[kMacsSample] = {1e6};
  outcome.samples[kNodesSample] = {20};
  return outcome;
}

class ReportTest : public testing::Test {
 protected:
  // A study of this kind whose model has the hostile name; it stops after so
  // many points more.
  void Run(const std::string& kind, int most = 1000, int rounds = 6) {
    Study study;
    study.name = kind;
    study.definition = "{}";
    study.rounds = rounds;
    study.conditions =
        CrossAxes({{"model", {kHostile}}, {"batch", {"1", "2", "4"}}});
    study.treatments = {PeerTreatment("peer", "fp32"),
                        PeerTreatment("stint", "fp32"),
                        PeerTreatment("stint", "fp32", 2)};
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [&](const Point& point) -> Result<Outcome> {
      if (most-- == 0) return IoError("disk full");
      return Timed(point);
    };
    (void)RunStudy(study, &database, run, [](int64_t, int64_t) {});
  }

  // Two policies within four budgets; one has no plan in the smaller memory.
  void RunElastic() {
    Study study;
    study.name = "elastic";
    study.check_round = false;
    study.conditions = CrossAxes({{"model", {kHostile}},
                                  {"storage", {"none"}},
                                  {"compute", {"all"}},
                                  {"memory", {"8MB", "16MB"}},
                                  {"latency", {"10ms", "20ms"}}});
    study.treatments = CrossAxes({{"policy", {"elastic", "sti"}}});
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      const bool ours = ValueOf(point.treatment, "policy") == "elastic";
      if (!ours && ValueOf(point.condition, "memory") == "8MB") {
        outcome.status = "infeasible";
        outcome.reason = "8 MB cannot be met";
        return outcome;
      }
      outcome.facts["metric"] = "accuracy";
      outcome.samples["value"] = {ours ? 0.9 : 0.8};
      outcome.samples["run_ms_p50"] = {9};
      return outcome;
    };
    EXPECT_TRUE(RunStudy(study, &database, run, [](int64_t, int64_t) {}).ok());
  }

  // Two compressions by two primitives; one is slower than nothing at all.
  void RunStack() {
    Study study;
    study.name = "across-stack";
    study.check_round = false;
    study.rounds = 17;
    study.conditions =
        CrossAxes({{"model", {kHostile}}, {"compute", {"all", "avx2"}}});
    study.treatments = CrossAxes({{"compression", {"none", "4x1:50%"}},
                                  {"primitive", {"direct", "winograd4"}}});
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      const bool whole = ValueOf(point.treatment, "compression") == "none";
      const bool direct = ValueOf(point.treatment, "primitive") == "direct";
      const bool all = ValueOf(point.condition, "compute") == "all";
      outcome.samples[point.round == 1 ? "run_ms_p50" : "block_ms"] = {
          (whole ? 4.0 : 5.0) * (direct == all ? 1 : 2)};
      if (point.round > 1) return outcome;
      outcome.samples["value"] = {whole ? 0.9 : 0.8};
      outcome.samples["nonzeros"] = {whole ? 100.0 : 50.0};
      outcome.samples["parameters_before"] = {100};
      outcome.samples[whole ? "layer/c/direct" : "layer/c/sparse"] = {
          whole ? 40.0 : 60.0};
      return outcome;
    };
    EXPECT_TRUE(RunStudy(study, &database, run, [](int64_t, int64_t) {}).ok());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::string path_ = JoinPath(folder_.path(), "r.db");
};

}  // namespace stint

#pragma once
// What `stint eval --format json` prints: the command writes it, studies read
// it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lab/record/json_fields.h"
#include "lab/record/plan_record.h"

namespace stint {

struct EvalRecord {
  std::string metric;  // "accuracy"
  double value = 0;
  int64_t correct = 0;
  int64_t correct_top5 = 0;
  int64_t total = 0;
  double run_ms_p50 = 0;
  double run_ms_p95 = 0;
  std::optional<double> predicted_ms;  // nothing without a plan
  std::optional<int64_t> bytes_read;
  double cpu_ms = 0;
  int64_t peak_rss_bytes = 0;
  std::string precision;
  // Of runs within a plan.
  std::optional<KeptRecord> kept;
  std::optional<PlanFigures> plan;
  // '1' for each row that was answered correctly; only with --right.
  std::optional<std::string> right;

  // The figures that a study keeps, by key; what is not known is left out.
  std::map<std::string, double> Samples() const;
};

// Without the keys of the plan, which the command adds by PlanJson.
Json ToJson(const EvalRecord& record);

// kDamaged, naming the key, where one is missing. The keys of `kept` are
// expected where there is a "plan".
Result<EvalRecord> EvalRecordFromJson(const Json& json);
// Of a line that was printed.
Result<EvalRecord> ParseEvalRecord(const std::string& line);

}  // namespace stint

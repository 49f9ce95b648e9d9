#include "lab/record/eval_record.h"

namespace stint {
namespace {

constexpr char kPlan[] = "plan";
constexpr char kRight[] = "right";

// What a study keeps of an evaluation.
template <typename Record, typename Fields>
void VisitSamples(Record& record, Fields& fields) {
  fields("value", record.value);
  fields("correct", record.correct);
  fields("total", record.total);
  fields("run_ms_p50", record.run_ms_p50);
  fields("run_ms_p95", record.run_ms_p95);
  fields("predicted_ms", record.predicted_ms);
  fields("bytes_read", record.bytes_read);
  fields("cpu_ms", record.cpu_ms);
  fields("peak_rss_bytes", record.peak_rss_bytes);
}

template <typename Record, typename Fields>
void Visit(Record& record, Fields& fields) {
  fields("metric", record.metric);
  VisitSamples(record, fields);
  fields("correct_top5", record.correct_top5);
  fields("precision", record.precision);
}

class SampleTaker {
 public:
  explicit SampleTaker(std::map<std::string, double>* samples)
      : samples_(samples) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    (*samples_)[key] = static_cast<double>(value);
  }
  template <typename T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }

 private:
  std::map<std::string, double>* samples_;
};

}  // namespace

std::map<std::string, double> EvalRecord::Samples() const {
  std::map<std::string, double> samples;
  SampleTaker taker(&samples);
  VisitSamples(*this, taker);
  if (kept) KeptRecord::VisitSamples(*kept, taker);
  if (plan) PlanFigures::Visit(*plan, taker);
  return samples;
}

Json ToJson(const EvalRecord& record) {
  Json json;
  JsonWriter writer(&json);
  Visit(record, writer);
  if (record.kept) KeptRecord::Visit(*record.kept, writer);
  if (record.right) writer(kRight, *record.right);
  return json;
}

Result<EvalRecord> EvalRecordFromJson(const Json& json) {
  EvalRecord record;
  JsonReader reader(json);
  Visit(record, reader);
  const auto plan = json.find(kPlan);
  if (plan != json.end()) {
    KeptRecord::Visit(record.kept.emplace(), reader);
    JsonReader plan_reader(*plan);
    PlanFigures::Visit(record.plan.emplace(), plan_reader);
    STINT_RETURN_IF_ERROR(plan_reader.status());
  }
  if (json.contains(kRight)) reader(kRight, record.right.emplace());
  STINT_RETURN_IF_ERROR(reader.status());
  return record;
}

Result<EvalRecord> ParseEvalRecord(const std::string& line) {
  STINT_ASSIGN_OR_RETURN(const Json json, ParseObject(line));
  return EvalRecordFromJson(json);
}

}  // namespace stint

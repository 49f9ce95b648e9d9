#include <gtest/gtest.h>

#include "core/platform/cpu_info.h"
#include "lab/record/eval_record.h"
#include "lab/record/exit_codes.h"
#include "lab/record/model_record.h"
#include "lab/record/step_record.h"
#include "lab/record/words.h"

namespace stint {
namespace {

EvalRecord FullRecord() {
  EvalRecord record;
  record.metric = "accuracy";
  record.value = 0.75;
  record.correct = 3;
  record.total = 4;
  record.predicted_ms = 12.5;
  record.kept = {.missed = 1, .over_memory = 0, .replans = 2};
  record.plan = PlanFigures{3.5, 1000, 2000};
  record.right = "1101";
  return record;
}

// As the command prints it, which adds the plan.
Json Printed(const EvalRecord& record) {
  Json json = ToJson(record);
  PlanReport plan;
  plan.mean_bits = 3.5;
  plan.stream_bytes = 1000;
  plan.preload_bytes = 2000;
  if (record.plan) json["plan"] = PlanJson(plan);
  return json;
}

TEST(EvalRecord, ComesBackAsItWasWritten) {
  const auto read = EvalRecordFromJson(Printed(FullRecord()));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->Samples(), FullRecord().Samples());
  EXPECT_EQ(read->metric, "accuracy");
  EXPECT_EQ(read->right, "1101");
  EXPECT_FALSE(read->bytes_read.has_value());
}

TEST(EvalRecord, NamesTheKeyThatIsMissing) {
  for (const char* key : {"metric", "value", "run_ms_p95", "predicted_ms",
                          "peak_rss_bytes", "missed"}) {
    Json json = Printed(FullRecord());
    json.erase(key);
    const auto read = EvalRecordFromJson(json);
    ASSERT_FALSE(read.ok()) << key;
    EXPECT_EQ(read.status().message(),
              std::string("key '") + key + "' is missing");
  }
  Json json = Printed(FullRecord());
  json["plan"].erase("bits_mean");
  EXPECT_EQ(EvalRecordFromJson(json).status().message(),
            "key 'bits_mean' is missing");
}

TEST(EvalRecord, RefusesAnotherType) {
  Json json = Printed(FullRecord());
  json["total"] = "four";
  EXPECT_EQ(EvalRecordFromJson(json).status().message(),
            "key 'total': expected a number");
}

TEST(EvalRecord, SamplesLeaveOutWhatIsNotKnown) {
  const auto samples = FullRecord().Samples();
  EXPECT_EQ(samples.at("value"), 0.75);
  EXPECT_EQ(samples.at("replans"), 2);
  EXPECT_EQ(samples.at("bits_mean"), 3.5);
  EXPECT_FALSE(samples.contains("bytes_read"));
  EXPECT_FALSE(EvalRecord().Samples().contains("missed"));
}

TEST(StepRecord, ComesBackAsItWasWritten) {
  const std::vector<StepRecord> steps = {
      {"c", "Conv", 4.5, "direct_avx2", "tuned", "why", "direct:t8x2"},
      {"r", "Relu", 1, "", "", "", ""}};
  const Json json = StepsJson(steps);
  EXPECT_FALSE(json["steps"][1].contains("kernel"));
  const auto read = ParseSteps(json.dump());
  ASSERT_TRUE(read.ok()) << read.status().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].schedule, "direct:t8x2");
  EXPECT_EQ((*read)[0].run_us, 4.5);
  EXPECT_EQ((*read)[1].kernel, "");
}

TEST(StepRecord, NamesTheKeyThatIsMissing) {
  EXPECT_EQ(
      ParseSteps(R"({"steps":[{"node":"c","op":"Conv"}]})").status().message(),
      "key 'run_us' is missing");
  EXPECT_EQ(ParseSteps("no json").status().code(), StatusCode::kDamaged);
  EXPECT_EQ(ParseSteps("{}").status().code(), StatusCode::kDamaged);
  EXPECT_EQ(ParseSteps(R"({"steps":[1]})").status().code(),
            StatusCode::kDamaged);
}

TEST(ParseRecord, TakesNullForWhatIsNotKnownAndNoMissingKey) {
  EXPECT_FALSE(ParseRecord<InspectRecord>(R"({"macs":null})")->macs);
  EXPECT_EQ(ParseRecord<InspectRecord>(R"({"macs":7})")->macs, 7);
  EXPECT_EQ(ParseRecord<InspectRecord>("{}").status().message(),
            "key 'macs' is missing");
}

TEST(CountTuned, CountsLayersWithASchedule) {
  TunedLayerRecord layer{"a", 2, 40, 9, 8, 7, "direct:t8x2"};
  Json json = {{"layers", Json::array()}};
  AddRecord(layer, &json["layers"].emplace_back());
  layer.schedule.clear();
  AddRecord(layer, &json["layers"].emplace_back());
  EXPECT_EQ(CountTuned(json.dump()).value(), 1);
  json["layers"][0].erase("schedule");
  EXPECT_EQ(CountTuned(json.dump()).status().message(),
            "key 'schedule' is missing");
  EXPECT_FALSE(CountTuned("{}").ok());
}

TEST(ExitCodeOf, IsThatOfTheInterfaces) {
  EXPECT_EQ(ExitCodeOf(OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(Damaged("")), 1);
  EXPECT_EQ(ExitCodeOf(Unsupported("")), 3);
  EXPECT_EQ(ExitCodeOf(BudgetInfeasible("")), 4);
  EXPECT_EQ(ExitCodeOf(Mismatch("")), 5);
}

TEST(IsaWords, AreAllThatCanBeParsed) {
  for (const std::string& word : IsaWords()) {
    EXPECT_TRUE(ParseIsa(word).has_value()) << word;
  }
  EXPECT_EQ(IsaWords().back(), IsaName(Isa::kAmx));
}

}  // namespace
}  // namespace stint

#include "engine/plan/saved_plan.h"

#include <gtest/gtest.h>

#include "engine/plan/plan_answers.h"

namespace stint {
namespace {

// Two layers of two slices; group 1 adds a third bit.
PlanProblem TwoLayers() {
  PlanProblem problem;
  for (int k = 0; k < 2; ++k) {
    PlanLayer& layer = problem.layers.emplace_back();
    layer.loss.resize(2);
    layer.groups = {{{0, 1, 8192}, {1, 1, 8192}}, {{0, 2, 8192}}};
  }
  return problem;
}

SavedPlan Streamed() {
  SavedPlan saved;
  saved.model = 0x00f3a1b2c3d4e5f6;
  saved.input_elements = 192;
  saved.memory_bytes = 8'000'000;
  saved.fixed_bytes = 5'300'000;
  saved.plan.policy = "elastic";
  saved.plan.layers = UniformUse(TwoLayers(), 3);
  saved.plan.layers[0].units[0][1] = UnitUse::kPinned;
  saved.plan.ring_bytes = 8 * 4096;
  saved.plan.predicted.latency_ns = 9'100'000;
  return saved;
}

TEST(SavedPlan, ComesBackAsItWas) {
  const SavedPlan saved = Streamed();
  const std::string text = ToText(saved);
  const auto parsed = ParseSavedPlan(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(ToText(*parsed), text);
  EXPECT_EQ(parsed->model, saved.model);
  EXPECT_EQ(parsed->plan.layers[0].units, saved.plan.layers[0].units);
  EXPECT_TRUE(CheckPlanFor(TwoLayers(), parsed->plan).ok());
}

TEST(SavedPlan, ADamagedTextNamesTheLine) {
  const std::string text = ToText(Streamed());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_EQ(ParseSavedPlan(text.substr(0, size)).status().code(),
              StatusCode::kDamaged)
        << size;
  }
  for (const char* wrong :
       {"layer pX", "ring-bytes -5", "ring-bytes 12x", "sub-model -2",
        "overlaps 2", "model xyz", "nonsense 1", "policy "}) {
    const auto parsed =
        ParseSavedPlan("stint-plan 1\n" + std::string(wrong) + "\nend\n");
    EXPECT_EQ(parsed.status().code(), StatusCode::kDamaged) << wrong;
    EXPECT_NE(parsed.status().message().find("line 2"), std::string::npos)
        << parsed.status().message();
  }
}

TEST(SavedPlan, MustFitTheModel) {
  const PlanProblem problem = TwoLayers();
  const auto refused = [&](const Plan& plan) {
    return CheckPlanFor(problem, plan).code() == StatusCode::kInvalidArgument;
  };
  const Plan plan = Streamed().plan;
  Plan small_ring = plan;
  small_ring.ring_bytes = 4096;
  EXPECT_TRUE(refused(small_ring));
  Plan odd_ring = plan;
  odd_ring.ring_bytes += 1;
  EXPECT_TRUE(refused(odd_ring));
  Plan gap = plan;
  gap.layers[1].units[0][0] = UnitUse::kUnused;
  EXPECT_TRUE(refused(gap));
  Plan fewer_units = plan;
  fewer_units.layers[0].units[0].pop_back();
  EXPECT_TRUE(refused(fewer_units));
  Plan fewer_groups = plan;
  fewer_groups.layers[0].units.pop_back();
  EXPECT_TRUE(refused(fewer_groups));
}

TEST(PlanAnswers, AreThoseOfSubNetworkAndBits) {
  const SavedPlan saved = Streamed();
  const std::string key = AnswersKey(saved);
  EXPECT_EQ(key.size(), 16u);
  SavedPlan placed = saved;
  placed.plan.layers[0].units[0][1] = UnitUse::kStreamed;
  placed.plan.layers[1].units[1][0] = UnitUse::kPinned;
  placed.plan.ring_bytes *= 2;
  placed.plan.policy = "sti";
  placed.plan.predicted.latency_ns *= 2;
  placed.memory_bytes = placed.fixed_bytes = 0;
  placed.input_elements = 64;
  EXPECT_EQ(AnswersKey(placed), key);
  SavedPlan fewer_bits = saved;
  fewer_bits.plan.layers[1].units[1][0] = UnitUse::kUnused;
  EXPECT_NE(AnswersKey(fewer_bits), key);
  SavedPlan narrower = saved;
  narrower.plan.sub_model = 1;
  EXPECT_NE(AnswersKey(narrower), key);
  SavedPlan other_file = saved;
  other_file.model ^= 1;
  EXPECT_NE(AnswersKey(other_file), key);
}

TEST(PlanAnswers, ComeFromMemoryWithoutLimits) {
  const SavedPlan answering = AnsweringPlan(Streamed());
  EXPECT_EQ(answering.plan.ring_bytes, 0);
  EXPECT_EQ(answering.memory_bytes, 0);
  EXPECT_TRUE(CheckPlanFor(TwoLayers(), answering.plan).ok());
  const auto parsed = ParseSavedPlan(ToText(answering));
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(AnswersKey(*parsed), AnswersKey(Streamed()));
}

}  // namespace
}  // namespace stint

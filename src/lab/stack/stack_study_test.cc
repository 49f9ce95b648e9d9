#include "lab/stack/stack_study.h"

#include <gtest/gtest.h>

#include <set>

#include "lab/stack/stack_compute.h"

namespace stint {
namespace {

// "primitive/code" of every point of a compute.
std::set<std::string> PointsOn(const Study& study, const std::string& compute) {
  std::set<std::string> found;
  for (const Point& point : Schedule(study)) {
    if (ValueOf(point.condition, "compute") != compute) continue;
    EXPECT_TRUE(found
                    .insert(ValueOf(point.treatment, "primitive") + "/" +
                            ValueOf(point.treatment, "code"))
                    .second)
        << point.Key();
  }
  return found;
}

TEST(MakeStackStudy, RefusesCodesAndBudgetsThatAreNone) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  FillStack(true, &options);
  ASSERT_TRUE(MakeStackStudy(options).ok());
  StackStudyOptions wrong = options;
  wrong.codes = {"best"};
  EXPECT_EQ(MakeStackStudy(wrong).status().code(),
            StatusCode::kInvalidArgument);
  wrong = options;
  wrong.tune_budget = "soon";
  EXPECT_EQ(MakeStackStudy(wrong).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(MakeStackStudy, ComputesHaveThePointsInWhichTheyDiffer) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  options.compressions = {"none"};
  options.primitives = {"direct", "im2col"};
  options.codes = {"untuned", "tuned"};
  options.computes = {"all", "opencl:0", "emulated"};
  const Study study = MakeStackStudy(options).value();
  EXPECT_EQ(PointsOn(study, "all"),
            (std::set<std::string>{"direct/untuned", "direct/tuned",
                                   "im2col/untuned", "im2col/tuned"}));
  EXPECT_EQ(PointsOn(study, "opencl:0"),
            (std::set<std::string>{"auto/default"}));
  EXPECT_EQ(PointsOn(study, "emulated"),
            (std::set<std::string>{"direct/untuned", "im2col/untuned"}));
}

TEST(MakeStackStudy, NamesThatAreNoComputeAreRefused) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  FillStack(true, &options);
  for (const char* name : {"opencl", "opencl:", "opencl:x", "neon", "avx2"}) {
    options.computes = {name};
    EXPECT_EQ(MakeStackStudy(options).status().code(),
              StatusCode::kInvalidArgument)
        << name;
  }
}

TEST(MakeStackStudy, PointsThatAreEvaluatedEachAreAnotherStudy) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  FillStack(true, &options);
  const Study once = MakeStackStudy(options).value();
  options.exact = true;
  EXPECT_NE(MakeStackStudy(options).value().definition, once.definition);
}

TEST(CodesOn, AnEmulatedCpuIsNotTuned) {
  EXPECT_EQ(CodesOn("emulated", {"tuned"}),
            (std::vector<std::string>{"default"}));
  EXPECT_EQ(CodesOn("all", {"tuned"}), (std::vector<std::string>{"tuned"}));
}

}  // namespace
}  // namespace stint

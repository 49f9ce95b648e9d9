#include "lab/stack/stack_study.h"

#include <gtest/gtest.h>

#include <set>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/stack/file_identity.h"
#include "lab/stack/stack_commands.h"
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

TEST(MakeStackStudy, GridsThatGrowAreTheSameStudy) {
  StackStudyOptions options;
  options.models = {"m.onnx"};
  FillStack(true, &options);
  const Study small = MakeStackStudy(options).value();
  options.models.emplace_back("other.onnx");
  options.compressions.emplace_back("fp16");
  options.codes.emplace_back("tuned");
  options.computes.emplace_back("avx512-1thread");
  EXPECT_EQ(MakeStackStudy(options).value().definition, small.definition);
}

// Models and data in a folder.
class IdentifyFilesTest : public testing::Test {
 protected:
  StackStudyOptions Identified(const std::string& model,
                               const std::string& content) {
    StackStudyOptions options;
    options.models = {JoinPath(folder_.path(), model)};
    options.data = JoinPath(folder_.path(), "data");
    options.preprocessing = {"--scale", "255"};
    EXPECT_TRUE(WriteFileAtomically(options.models[0], content).ok());
    EXPECT_TRUE(WriteFileAtomically(options.data, "rows").ok());
    EXPECT_TRUE(IdentifyFiles(&options).ok());
    return options;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
};

TEST_F(IdentifyFilesTest, TellsContentsApartAndNotPlaces) {
  const auto one = Identified("m.onnx", "weights");
  const auto moved = Identified("copy.onnx", "weights");
  const auto other = Identified("m.onnx", "weightz");
  EXPECT_EQ(ContentOf(one.models[0]), ContentOf(moved.models[0]));
  EXPECT_NE(ContentOf(one.models[0]), ContentOf(other.models[0]));
  EXPECT_TRUE(one.models[0].starts_with("m.onnx@"));
  EXPECT_EQ(FileOfModel(moved, one.models[0]),
            JoinPath(folder_.path(), "copy.onnx"));
}

TEST_F(IdentifyFilesTest, PreprocessingIsPartOfTheModelsName) {
  auto options = Identified("m.onnx", "weights");
  const std::string before = options.models[0];
  options.models = {JoinPath(folder_.path(), "m.onnx")};
  options.preprocessing_of[options.models[0]] = {"--channel-order", "bgr"};
  ASSERT_TRUE(IdentifyFiles(&options).ok());
  EXPECT_NE(options.models[0], before);
  EXPECT_EQ(PreprocessingOf(options, options.models[0]),
            (std::vector<std::string>{"--channel-order", "bgr"}));
}

TEST_F(IdentifyFilesTest, ExternalDataIsContent) {
  const std::string model = JoinPath(folder_.path(), "m.onnx");
  ASSERT_TRUE(WriteFileAtomically(model, "graph").ok());
  ASSERT_TRUE(WriteFileAtomically(model + ".data", "weights").ok());
  const auto before = ContentHash(model);
  ASSERT_TRUE(WriteFileAtomically(model + ".data", "weightz").ok());
  EXPECT_NE(*before, *ContentHash(model));
}

TEST(CodesOn, AnEmulatedCpuIsNotTuned) {
  EXPECT_EQ(CodesOn("emulated", {"tuned"}),
            (std::vector<std::string>{"default"}));
  EXPECT_EQ(CodesOn("all", {"tuned"}), (std::vector<std::string>{"tuned"}));
}

}  // namespace
}  // namespace stint

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/platform/file.h"
#include "stint/convert.h"
#include "stint/session.h"

namespace stint {
namespace {

std::string Fixture(const std::string& name) {
  return std::string(STINT_TEST_FIXTURES "/../data/") + name;
}

std::vector<float> Answer(const Model& model, const std::string& text) {
  auto session =
      Session::Create(model, Runtime::Create({.threads = 1}).value());
  EXPECT_TRUE(session.ok()) << session.status().message();
  const auto outputs = session->RunText(text);
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  const Tensor& first = (*outputs)[0].value.tensor();
  return std::vector<float>(first.data<float>(),
                            first.data<float>() + first.size());
}

class ImportModelTest : public testing::TestWithParam<const char*> {};

TEST_P(ImportModelTest, FolderAnswersTheSameThroughItsOnnxExport) {
  const std::string folder = Fixture(std::string("encoders/") + GetParam());
  ImportOptions plain;
  plain.optimize = false;
  const auto model = ImportModel(folder, plain);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const std::string file = testing::TempDir() + GetParam() + ".onnx";
  const auto report = ExportOnnx(*model, file);
  ASSERT_TRUE(report.ok()) << report.status().message();
  ImportOptions with_tokenizer;
  with_tokenizer.tokenizer_folder = folder;
  const auto exported = ImportModel(file, with_tokenizer);
  ASSERT_TRUE(exported.ok()) << exported.status().message();
  const auto optimized = ImportModel(folder);
  ASSERT_TRUE(optimized.ok()) << optimized.status().message();
  EXPECT_EQ(Answer(*optimized, "a b c"), Answer(*exported, "a b c"));
}

INSTANTIATE_TEST_SUITE_P(Families, ImportModelTest,
                         testing::Values("bert_plain", "bert_sentence",
                                         "bert_classifier",
                                         "distilbert_classifier",
                                         "roberta_classifier"),
                         [](const auto& info) { return info.param; });

TEST(Session, NamesTheInputThatDoesNotFit) {
  const auto model = ImportModel(Fixture("linear.onnx"));
  ASSERT_TRUE(model.ok());
  auto session = Session::Create(*model);
  ASSERT_TRUE(session.ok());
  const auto run =
      session->Run({{"x", Tensor::FromVector<float>({1, 2}, {1, 2}).value()}});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.status().message(),
            "input 'x' is float32[1,2], expected float32[-1,3]");
}

TEST(Session, SharesARuntimeWithAnotherSession) {
  const auto model = ImportModel(Fixture("linear.onnx"));
  ASSERT_TRUE(model.ok());
  const auto runtime = Runtime::Create({.threads = 2});
  ASSERT_TRUE(runtime.ok());
  auto first = Session::Create(*model, *runtime);
  auto second = Session::Create(*model, *runtime);
  ASSERT_TRUE(first.ok() && second.ok());
  const Tensor x = Tensor::FromVector<float>({1, 3}, {1, 2, 3}).value();
  for (Session* session : {&*first, &*second}) {
    const auto outputs = session->Run({{"x", x}});
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ((*outputs)[0].value.tensor().data<float>()[0], 5.5f);
  }
}

TEST(Session, ForcesAPrimitiveWhereItFitsAndSaysSo) {
  const auto model = ImportModel(Fixture("conv.onnx"));
  ASSERT_TRUE(model.ok());
  const Runtime runtime = Runtime::Create({.threads = 1}).value();
  SessionOptions options;
  options.lab.primitive = "implicit";
  auto session = Session::Create(*model, runtime, options);
  ASSERT_TRUE(session.ok()) << session.status().message();
  EXPECT_TRUE(session->StepChoices().empty());
  const Tensor x =
      Tensor::FromVector<float>({1, 16, 12, 12}, std::vector<float>(2304, 1))
          .value();
  ASSERT_TRUE(session->Run({{"x", x}}).ok());
  const std::vector<StepChoice> choices = session->StepChoices();
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].reason, "forced");
  EXPECT_TRUE(choices[0].kernel.starts_with("implicit_"));
  EXPECT_TRUE(choices[1].kernel.starts_with("depthwise_"));
  options.lab.primitive = "fft";
  EXPECT_EQ(Session::Create(*model, runtime, options).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Session, MeasuresRangesInItsFirstRunsAndThenRunsInInt8) {
  const std::string path =
      STINT_TEST_DATA "/models/cifar10_resnet8_mlperf_tiny.onnx";
  if (!FileExists(path)) GTEST_SKIP() << "no " << path;
  const auto model = ImportModel(path);
  ASSERT_TRUE(model.ok()) << model.status().message();
  const auto runtime = Runtime::Create({.threads = 1});
  ASSERT_TRUE(runtime.ok());
  auto plain = Session::Create(*model, *runtime);
  auto session = Session::Create(
      *model, *runtime,
      {.precision = Precision::kInt8, .calibration_runs = 2, .profile = true});
  ASSERT_TRUE(plain.ok() && session.ok());
  Tensor x = Tensor::Allocate(DType::kFloat32, {1, 3, 32, 32}).value();
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(i * 37 % 256);
  }
  std::vector<Value> want, got;
  ASSERT_TRUE(plain->RunInto({Value(x)}, &want).ok());
  // The largest error of a run over the largest output.
  const auto error_of_run = [&] {
    EXPECT_TRUE(session->RunInto({Value(x)}, &got).ok());
    float error = 0, largest = 0;
    for (int64_t i = 0; i < want[0].tensor().size(); ++i) {
      const float expected = want[0].tensor().data<float>()[i];
      largest = std::max(largest, std::fabs(expected));
      error = std::max(error,
                       std::fabs(got[0].tensor().data<float>()[i] - expected));
    }
    return error / largest;
  };
  EXPECT_LT(error_of_run(), 1e-4f);
  EXPECT_TRUE(session->StepTimes().empty());
  const float error = error_of_run();
  EXPECT_GT(error, 1e-4f);
  EXPECT_LT(error, 0.2f);
  const auto steps = session->StepTimes();
  EXPECT_TRUE(std::any_of(steps.begin(), steps.end(), [](const StepTime& s) {
    return s.op == "QuantizedConv";
  }));
}

}  // namespace
}  // namespace stint

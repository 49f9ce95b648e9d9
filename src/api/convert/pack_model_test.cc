#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/platform/cpu_info.h"
#include "core/platform/file.h"
#include "core/testing/random_tensor.h"
#include "stint/convert.h"
#include "stint/session.h"
#include "weights/package/package.h"

namespace stint {
namespace {

// Every kind of convolution kernel, then a linear layer.
Model MakeModel() {
  auto package = std::make_shared<Package>();
  package->graph = std::make_unique<Graph>();
  Graph& graph = *package->graph;
  ValueId x = graph.AddInput(
      "x", ValueType::Of(DType::kFloat32, {graph.Symbol("batch"), 3, 32, 32}));
  const auto conv = [&](const std::string& name, Shape w, int64_t group) {
    FusedConv op;
    op.lo = 0;
    op.group = group;
    op.pads = {w[2] / 2, w[3] / 2, w[2] / 2, w[3] / 2};
    const ValueId bias =
        graph.AddConstant(name + ".b", RandomTensor({w[0]}, 3));
    const ValueId weight = graph.AddConstant(name + ".w", RandomTensor(w, 4));
    x = graph.Add(name, op, {x, weight, bias});
  };
  conv("first", {32, 3, 3, 3}, 1);
  conv("depthwise", {32, 1, 3, 3}, 32);
  conv("pointwise", {48, 32, 1, 1}, 1);
  conv("winograd", {64, 48, 3, 3}, 1);
  conv("direct", {16, 64, 5, 5}, 1);
  x = graph.Add("pool", GlobalAveragePool{}, {x});
  x = graph.Add("flat", Flatten{}, {x});
  x = graph.Add(
      "linear", FusedLinear{},
      {x, kNoValue, graph.AddConstant("l.w", RandomTensor({16, 50}, 5)),
       graph.AddConstant("l.b", RandomTensor({50}, 6))});
  graph.MarkOutput(x);
  EXPECT_TRUE(InferGraph(&graph).ok());
  return Model(package);
}

// `isa` may be empty.
std::vector<float> Answer(Model model, const std::string& isa,
                          int64_t batch = 2) {
  const Runtime runtime =
      Runtime::Create({.threads = 1, .isa = ParseIsa(isa)}).value();
  auto session = Session::Create(std::move(model), runtime);
  if (!session.ok()) {
    ADD_FAILURE() << session.status().message();
    return {};
  }
  std::vector<Value> outputs;
  const Status status =
      session->RunInto({RandomTensor({batch, 3, 32, 32}, 9)}, &outputs);
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok()) return {};
  const Tensor& y = outputs[0].tensor();
  return std::vector<float>(y.data<float>(), y.data<float>() + y.size());
}

PackOptions Plain() {
  PackOptions options;
  options.bits = 32;
  return options;
}

std::string Path() { return testing::TempDir() + "/pack_model_test.stint"; }

TEST(PackModel, AnswersTheSameBitForBit) {
  const auto report = PackModel(MakeModel(), Path(), Plain());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->packed, 6);
  const auto model = Model::Open(Path());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(Answer(*model, ""), Answer(MakeModel(), ""));
  // Once more of the same, and by the other way to open it.
  EXPECT_EQ(Answer(*model, ""), Answer(ImportModel(Path()).value(), ""));
}

TEST(PackModel, OtherMachinesRepack) {
  for (const char* packed_for : {"sse2", "avx2", ""}) {
    PackOptions options = Plain();
    options.isa = ParseIsa(packed_for);
    ASSERT_TRUE(PackModel(MakeModel(), Path(), options).ok());
    const auto model = Model::Open(Path());
    ASSERT_TRUE(model.ok()) << model.status().message();
    for (const char* isa : {"sse2", "avx2", ""}) {
      const auto expected = Answer(MakeModel(), isa);
      const auto found = Answer(*model, isa);
      ASSERT_EQ(found.size(), expected.size());
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], 1e-3) << packed_for << " on " << isa;
      }
    }
  }
}

TEST(PackModel, KeepsLayoutsOfOtherPrecisionsBesideThePlainWeights) {
  const std::string folder =
      STINT_TEST_FIXTURES "/../data/encoders/bert_sentence";
  const auto answer = [](const std::string& path, Precision precision) {
    SessionOptions options;
    options.precision = precision;
    auto session =
        Session::Create(ImportModel(path).value(),
                        Runtime::Create({.threads = 1}).value(), options);
    EXPECT_TRUE(session.ok()) << session.status().message();
    const auto outputs = session->RunText("a b c").value();
    const Tensor& y = outputs[0].value.tensor();
    return std::vector<float>(y.data<float>(), y.data<float>() + y.size());
  };
  constexpr Precision kAll[] = {Precision::kFloat32, Precision::kBFloat16,
                                Precision::kInt8};
  for (const Precision packed : kAll) {
    PackOptions options = Plain();
    options.precision = packed;
    const auto report = PackModel(ImportModel(folder).value(), Path(), options);
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_GT(report->packed, 0);
    for (const Precision precision : kAll) {
      EXPECT_EQ(answer(Path(), precision), answer(folder, precision))
          << PrecisionName(packed) << " file in " << PrecisionName(precision);
    }
  }
}

// A data set of eight random pictures, labels 0 to 7.
CalibrationData RandomPictures() {
  const std::string path = testing::TempDir() + "/pictures.bin";
  Random random(5);
  std::string bytes;
  for (char label = 0; label < 8; ++label) {
    bytes += label;
    for (int i = 0; i < 3072; ++i) {
      bytes += static_cast<char>(random.NextInt(256));
    }
  }
  EXPECT_TRUE(WriteFileAtomically(path, bytes).ok());
  return {path, "cifar10", 8};
}

// The int8 answer to one picture, after a run of another.
std::vector<float> Int8AnswerAfter(const Model& model, float other) {
  SessionOptions options;
  options.precision = Precision::kInt8;
  auto session =
      Session::Create(model, Runtime::Create({.threads = 1}).value(), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  std::vector<Value> outputs;
  Tensor first = RandomTensor({1, 3, 32, 32}, 1);
  for (int64_t i = 0; i < first.size(); ++i) first.data<float>()[i] *= other;
  EXPECT_TRUE(session->RunInto({first}, &outputs).ok());
  EXPECT_TRUE(
      session->RunInto({RandomTensor({1, 3, 32, 32}, 9)}, &outputs).ok());
  const Tensor& y = outputs[0].tensor();
  return std::vector<float>(y.data<float>(), y.data<float>() + y.size());
}

TEST(PackModel, ACalibratedFileIsNotCalibratedByItsFirstInputs) {
  EXPECT_NE(Int8AnswerAfter(MakeModel(), 1), Int8AnswerAfter(MakeModel(), 5));
  PackOptions options = Plain();
  options.calibration = RandomPictures();
  options.preprocessing = Preprocessing{};
  options.preprocessing->scale = 255;
  for (const Precision packed : {Precision::kFloat32, Precision::kInt8}) {
    options.precision = packed;
    const auto report = PackModel(MakeModel(), Path(), options);
    ASSERT_TRUE(report.ok()) << report.status().message();
    EXPECT_GE(report->ranges, 6);
    const Model model = Model::Open(Path()).value();
    EXPECT_EQ(Int8AnswerAfter(model, 1), Int8AnswerAfter(model, 5))
        << PrecisionName(packed);
    EXPECT_EQ(Answer(model, ""), Answer(MakeModel(), ""))
        << PrecisionName(packed);
  }
}

TEST(PackModel, ThereIsNothingToCalibrateWithoutConvolutions) {
  PackOptions options = Plain();
  options.calibration = RandomPictures();
  const auto text =
      ImportModel(STINT_TEST_FIXTURES "/../data/encoders/bert_sentence");
  EXPECT_EQ(PackModel(*text, Path(), options).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(PackModel, APackedFileCanBePackedAgain) {
  ASSERT_TRUE(PackModel(MakeModel(), Path(), Plain()).ok());
  const std::string again = Path() + ".again";
  ASSERT_TRUE(PackModel(Model::Open(Path()).value(), again, Plain()).ok());
  EXPECT_EQ(ReadFile(again).value(), ReadFile(Path()).value());
}

TEST(PackModel, AnElasticFileAnswersNearly) {
  const auto report = PackModel(MakeModel(), Path());
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->packed, 0);
  EXPECT_EQ(report->layers, 1);  // the convolutions with 16384 weights
  const auto expected = Answer(MakeModel(), "");
  const auto found = Answer(Model::Open(Path()).value(), "");
  ASSERT_EQ(found.size(), expected.size());
  double error = 0, energy = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    error += (found[i] - expected[i]) * (found[i] - expected[i]);
    energy += expected[i] * expected[i];
  }
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 1e-3 * energy);
}

TEST(PackModel, AnElasticFileCanBeMadeOfAPlainOne) {
  ASSERT_TRUE(PackModel(MakeModel(), Path()).ok());
  const std::string expected = ReadFile(Path()).value();
  PackOptions options = Plain();
  options.isa = Isa::kBaseline;  // layouts that all have a way back
  ASSERT_TRUE(PackModel(MakeModel(), Path(), options).ok());
  const std::string again = Path() + ".again";
  const auto report = PackModel(Model::Open(Path()).value(), again);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(ReadFile(again).value(), expected);
}

TEST(PackModel, RefusesWhatItDoesNotKnow) {
  PackOptions options = Plain();
  options.precision = Precision::kAuto;
  EXPECT_EQ(PackModel(MakeModel(), Path(), options).status().code(),
            StatusCode::kInvalidArgument);
  options = Plain();
  for (int bits : {1, 9, 16}) {
    options.bits = bits;
    EXPECT_EQ(PackModel(MakeModel(), Path(), options).status().code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(PackModel(MakeModel(), "/nowhere/m.stint").status().code(),
            StatusCode::kNotFound);
}

TEST(Session, TakesOverTheWeightsOfAModelThatNobodyElseHas) {
  auto session =
      Session::Create(MakeModel(), Runtime::Create({.threads = 1}).value());
  ASSERT_TRUE(session.ok());
  const Tensor x = RandomTensor({1, 3, 32, 32}, 9);
  ASSERT_TRUE(session->Run({{"x", x}}).ok());
  const Graph& graph = *PackageOf(*session).graph;
  int weights = 0;
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const auto& constant = graph.value({static_cast<int32_t>(i)}).constant;
    if (!constant || constant->rank() < 2) continue;
    EXPECT_FALSE(constant->has_elements());
    ++weights;
  }
  EXPECT_EQ(weights, 6);
  // Other batches, and none, still run.
  EXPECT_TRUE(session->Run({{"x", RandomTensor({3, 3, 32, 32}, 9)}}).ok());
  EXPECT_TRUE(session->Run({{"x", RandomTensor({0, 3, 32, 32}, 9)}}).ok());
}

TEST(Session, CopiesOfAModelKeepTheWeightsThatASessionFrees) {
  Model model = MakeModel();
  const Model copy = model;
  const std::vector<float> expected = Answer(MakeModel(), "");
  EXPECT_EQ(Answer(std::move(model), ""), expected);
  EXPECT_EQ(Answer(copy, ""), expected);
}

template <typename M>
concept CanBeRun = requires(M&& model) {
  Session::Create(std::forward<M>(model));
};
// std::move of a const model would keep its weights twice.
static_assert(CanBeRun<Model> && CanBeRun<const Model&> &&
              !CanBeRun<const Model>);

TEST(Session, LeavesTheWeightsOfAModelThatOthersHold) {
  const Model model = MakeModel();
  const auto first = Answer(model, "");
  EXPECT_EQ(Answer(model, ""), first);
}

// Importance of the packed model's first shard at 2 bits.
struct FirstShard {
  ImportanceKind kind;
  float importance;
};

FirstShard PackAndRank(const CalibrationData& data) {
  const std::string path = testing::TempDir() + "/ranked.stint";
  PackOptions options;
  options.calibration = data;
  const auto report = PackModel(MakeModel(), path, options);
  EXPECT_TRUE(report.ok()) << report.status().message();
  const Model model = Model::Open(path).value();
  const ShardCatalog& catalog = model.package()->shards->catalog;
  return {catalog.importance, catalog.layers[0].importance[0]};
}

TEST(PackModel, ImportanceComesFromLabelsWhereTheDataHasThem) {
  // Pictures of noise, of classes 0 to 9.
  std::string records;
  Random random(5);
  for (int i = 0; i < 10; ++i) {
    records += static_cast<char>(i);
    for (int j = 0; j < 3072; ++j) {
      records += static_cast<char>(static_cast<int>(random.NextDouble() * 256));
    }
  }
  CalibrationData data;
  data.data = testing::TempDir() + "/ranked.bin";
  data.task = "cifar10";
  ASSERT_TRUE(WriteFileAtomically(data.data, records).ok());
  const FirstShard labeled = PackAndRank(data);
  EXPECT_EQ(labeled.kind, ImportanceKind::kLabels);
  data.use_labels = false;
  const FirstShard unlabeled = PackAndRank(data);
  EXPECT_EQ(unlabeled.kind, ImportanceKind::kDistortion);
  EXPECT_GT(unlabeled.importance, 0);
  EXPECT_NE(labeled.importance, unlabeled.importance);
}

}  // namespace
}  // namespace stint

#include "convert/huggingface/open_folder.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/platform/file.h"
#include "engine/run/graph_runner.h"

namespace stint {
namespace {

std::string Fixture(const std::string& name) {
  return std::string(STINT_TEST_FIXTURES "/../data/encoders/") + name;
}

nlohmann::json Expected(const std::string& name) {
  return nlohmann::json::parse(
      ReadFile(Fixture(name) + "/expected.json").value());
}

std::vector<Value> InputsFor(const Graph& graph,
                             const nlohmann::json& expected) {
  std::vector<Value> inputs;
  for (ValueId id : graph.inputs()) {
    std::vector<int64_t> flat;
    int64_t rows = 0;
    for (const auto& row : expected["inputs"][graph.value(id).name]) {
      for (int64_t token : row) flat.push_back(token);
      ++rows;
    }
    const int64_t columns = static_cast<int64_t>(flat.size()) / rows;
    inputs.push_back(
        Tensor::FromVector<int64_t>({rows, columns}, flat).value());
  }
  return inputs;
}

// Rows of padding differ between implementations; only tokens are compared.
void ExpectOutput(const Graph& graph, const nlohmann::json& expected) {
  ThreadPool pool(1);
  GraphRunner runner(&graph, KernelSite{}, &pool);
  ASSERT_TRUE(runner.Prepare().ok());
  const auto outputs = runner.Run(InputsFor(graph, expected));
  ASSERT_TRUE(outputs.ok()) << outputs.status().message();
  const Tensor& found = (*outputs)[0].tensor();
  EXPECT_EQ(found.shape(), expected["shape"].get<Shape>());
  const auto values = expected["output"].get<std::vector<double>>();
  ASSERT_EQ(found.size(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(found.data<float>()[i], values[i], 2e-5) << "element " << i;
  }
}

class OpenFolder : public testing::TestWithParam<const char*> {};

TEST_P(OpenFolder, AnswersAsTheArchitectureDoes) {
  const auto package = OpenHuggingFaceFolder(Fixture(GetParam()));
  ASSERT_TRUE(package.ok()) << package.status().message();
  ExpectOutput(*package->graph, Expected(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Families, OpenFolder,
                         testing::Values("bert_plain", "bert_sentence",
                                         "bert_classifier",
                                         "distilbert_classifier",
                                         "roberta_classifier"),
                         [](const auto& info) { return info.param; });

TEST(OpenFolder, KnowsLabelsAndMeaningOfAClassifier) {
  const auto package = OpenHuggingFaceFolder(Fixture("bert_classifier"));
  ASSERT_TRUE(package.ok());
  EXPECT_EQ(package->meaning, OutputMeaning::kClassLogits);
  EXPECT_EQ(package->labels, (std::vector<std::string>{"no", "maybe", "yes"}));
}

TEST(OpenFolder, ListsAllWrongWeightsInOneError) {
  const std::string folder = testing::TempDir() + "/wrong_weights";
  ASSERT_TRUE(MakeDirectories(folder).ok());
  auto config = nlohmann::json::parse(
      ReadFile(Fixture("bert_plain") + "/config.json").value());
  config["intermediate_size"] = 17;
  config["num_hidden_layers"] = 3;
  ASSERT_TRUE(WriteFileAtomically(folder + "/config.json", config.dump()).ok());
  for (const char* file : {"model.safetensors", "vocab.txt"}) {
    ASSERT_TRUE(WriteFileAtomically(
                    JoinPath(folder, file),
                    ReadFile(JoinPath(Fixture("bert_plain"), file)).value())
                    .ok());
  }
  const auto package = OpenHuggingFaceFolder(folder);
  ASSERT_FALSE(package.ok());
  const std::string& message = package.status().message();
  EXPECT_NE(message.find("'encoder.layer.0.intermediate.dense.weight' is "
                         "[16,8], expected [17,8]"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("'encoder.layer.2.attention.self.query.weight' is "
                         "missing"),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace stint

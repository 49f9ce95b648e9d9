#include <gtest/gtest.h>

#include "convert/compress/testing/small_network.h"
#include "core/platform/file.h"
#include "stint/compress.h"
#include "weights/package/package.h"

namespace stint {
namespace {

Model Residual() {
  auto package = std::make_shared<Package>();
  package->graph = ResidualNetwork().graph.Clone();
  return Model(std::move(package));
}

Result<CompressedModel> Compress(
    std::map<std::string, LayerCompression> layers) {
  CompressOptions options;
  options.layers = std::move(layers);
  return CompressModel(Residual(), options);
}

std::set<std::string> LayersOf(const CompressedModel& compressed) {
  std::set<std::string> names;
  for (const auto& layer : compressed.report.layers) names.insert(layer.name);
  return names;
}

TEST(CompressModel, WhatIsAskedOfLayersOfABranchThatGoesIsNotMissed) {
  for (const LayerCompression& other :
       {LayerCompression{.zeros = 0.5}, LayerCompression{.channels = 0.5}}) {
    const auto compressed =
        Compress({{"conv2", other}, {"conv3", {.channels = 1}}});
    ASSERT_TRUE(compressed.ok()) << compressed.status().message();
    EXPECT_EQ(LayersOf(*compressed), (std::set<std::string>{"conv1", "conv4"}));
  }
}

TEST(CompressModel, OtherLayersAreStillCompressedWhenABranchGoes) {
  const auto compressed = Compress({{"conv2", {.zeros = 0.5}},
                                    {"conv3", {.channels = 1}},
                                    {"conv4", {.zeros = 0.5, .block = 1}}});
  ASSERT_TRUE(compressed.ok()) << compressed.status().message();
  EXPECT_EQ(compressed->report.zeros, 80);
}

// Records of CIFAR-10, of which the last ninth is held back.
std::string WritePictures(int (*pixel)(Random*, bool held_back)) {
  std::string records;
  Random random(1);
  for (int row = 0; row < 72; ++row) {
    records += static_cast<char>(row % 10);
    for (int i = 0; i < 3072; ++i) {
      records += static_cast<char>(pixel(&random, row >= 64));
    }
  }
  const std::string path = testing::TempDir() + "compress_model_rows.bin";
  EXPECT_TRUE(WriteFileAtomically(path, records).ok());
  return path;
}

Result<CompressedModel> Repair(const std::string& data, Recovery recovery) {
  SmallNetwork net(3, 32);
  const ValueId a = net.Relu(net.Convolve(net.x, {16, 3, 3, 3}));
  net.Finish(net.Relu(net.Convolve(a, {8, 16, 3, 3})));
  auto package = std::make_shared<Package>();
  package->graph = net.graph.Clone();
  CompressOptions options;
  options.prune = PruneKind::kLayer;
  options.ratio = 0.6;
  options.recovery = recovery;
  options.data = CalibrationData{.data = data, .task = "cifar10", .rows = 64};
  options.preprocessing = Preprocessing{.scale = 255};
  return CompressModel(Model(std::move(package)), options);
}

int Noise(Random* random, bool) {
  return static_cast<int>(random->NextInt(256));
}
// Those that a repair sees are white, the others black.
int WhiteOrBlack(Random*, bool held_back) { return held_back ? 0 : 255; }

TEST(CompressModel, ARepairIsJudgedByRowsThatItHasNotSeen) {
  const auto made = Repair(WritePictures(Noise), Recovery::kRefit);
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_TRUE(made->report.repair.has_value());
  const RepairReport& repair = *made->report.repair;
  EXPECT_EQ(repair.rows, 64);
  EXPECT_EQ(repair.held_back_rows, 8);
  EXPECT_FALSE(repair.given_up);
  EXPECT_LT(repair.distance_after, 0.7 * repair.distance_before);
  EXPECT_EQ(repair.layers.size(), 2u);
  EXPECT_EQ(made->report.repaired_layers, 2);
}

TEST(CompressModel, ARepairThatTakesTheNetworkFartherAwayIsGivenUp) {
  const std::string data = WritePictures(WhiteOrBlack);
  const auto made = Repair(data, Recovery::kStatistics);
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_TRUE(made->report.repair.has_value());
  EXPECT_TRUE(made->report.repair->given_up);
  EXPECT_GT(made->report.repair->distance_after,
            made->report.repair->distance_before);
  EXPECT_EQ(made->report.repaired_layers, 0);
  const auto without = Repair(data, Recovery::kNone);
  ASSERT_TRUE(without.ok());
  const Tensor input = RandomTensor({1, 3, 32, 32}, 5);
  EXPECT_EQ(RunGraph(*made->model.package()->graph, input),
            RunGraph(*without->model.package()->graph, input));
}

TEST(CompressModel, NamesALayerThatIsNotThere) {
  const auto compressed = Compress({{"conv9", {.zeros = 0.5}}});
  EXPECT_EQ(compressed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(compressed.status().message().find("conv9"), std::string::npos);
}

}  // namespace
}  // namespace stint

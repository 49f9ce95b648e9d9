#include <gtest/gtest.h>

#include "convert/compress/testing/small_network.h"
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

TEST(CompressModel, NamesALayerThatIsNotThere) {
  const auto compressed = Compress({{"conv9", {.zeros = 0.5}}});
  EXPECT_EQ(compressed.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(compressed.status().message().find("conv9"), std::string::npos);
}

}  // namespace
}  // namespace stint

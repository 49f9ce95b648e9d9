#include "engine/elastic/importance/shard_losses.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

// Layers of two slices, all of the same size, whose distortion falls to a
// quarter with each bit; `importance` by layer, slice and bits.
ShardCatalog CatalogOf(
    const std::vector<std::vector<std::vector<float>>>& importance) {
  ShardCatalog catalog;
  catalog.bits = 4;
  for (const auto& of_layer : importance) {
    ShardMatrix matrix;
    matrix.outputs = matrix.inputs = 128;
    matrix.bounds = {0, 64, 128};
    ShardLayer layer;
    layer.slices = 2;
    layer.matrices = {matrix};
    catalog.layout.layers.push_back(layer);
    CatalogLayer entry;
    entry.matrices.resize(1);
    for (const std::vector<float>& of_slice : of_layer) {
      CatalogBlock block;
      block.energy = 10;
      block.distortion = {0.16f, 0.04f, 0.01f};
      entry.matrices[0].blocks.push_back(block);
      if (of_slice.empty()) continue;
      catalog.importance = ImportanceKind::kDistortion;
      entry.importance.insert(entry.importance.end(), of_slice.begin(),
                              of_slice.end());
    }
    catalog.layers.push_back(entry);
  }
  return catalog;
}

// Every slice of a layer with the same loss at 2 bits.
ShardCatalog CatalogOfLayers(const std::vector<float>& losses) {
  std::vector<std::vector<std::vector<float>>> importance;
  for (float loss : losses) {
    importance.push_back({{loss, loss / 2, loss / 2}, {loss, loss / 2, 0}});
  }
  return CatalogOf(importance);
}

double SumAtLeastBits(const std::vector<std::vector<ByFidelity>>& losses) {
  double sum = 0;
  for (const auto& layer : losses) {
    for (const ByFidelity& of : layer) sum += of[0];
  }
  return sum;
}

TEST(ShardLosses, AreTheDistortionWhereNothingWasMeasured) {
  const auto losses = ShardLosses(CatalogOf({{{}, {}}}));
  EXPECT_NEAR(losses[0][1][0], 0.16, 1e-6);
  EXPECT_NEAR(losses[0][1][2], 0.01, 1e-6);
  EXPECT_NEAR(losses[0][1][6], 0.01, 1e-6);  // as at the file's most bits
}

TEST(ShardLosses, ABitThatShowedNoGainIsExpectedToGain) {
  const auto losses = ShardLosses(CatalogOf({{{8, 8, 8}, {8, 8, 8}}}));
  EXPECT_NEAR(losses[0][0][0], 8, 1e-6);
  EXPECT_NEAR(losses[0][0][1], 2, 1e-6);
  EXPECT_NEAR(losses[0][0][2], 0.5, 1e-6);
}

TEST(ShardLosses, LayersThatDifferLittleCountTheSame) {
  const auto losses = ShardLosses(CatalogOfLayers({1, 1.5, 2, 3}));
  for (const auto& layer : losses) {
    EXPECT_NEAR(layer[0][0], losses[0][0][0], 1e-6);
  }
}

TEST(ShardLosses, LayersThatDifferMuchKeepMostOfIt) {
  const auto losses = ShardLosses(CatalogOfLayers({1, 10, 100, 1000}));
  EXPECT_GT(losses[3][0][0], 300 * losses[0][0][0]);
  EXPECT_LT(losses[3][0][0], 1000 * losses[0][0][0]);
}

TEST(ShardLosses, SlicesThatDifferMuchKeepMostOfIt) {
  const auto losses = ShardLosses(CatalogOf({{{16, 4, 1}, {1, 1, 1}}}));
  EXPECT_GT(losses[0][0][0], 10 * losses[0][1][0]);
}

TEST(ShardLosses, SumUpToWhatWasMeasuredAtTheLeastBits) {
  const auto losses = ShardLosses(CatalogOfLayers({1, 10, 100, 1000}));
  EXPECT_NEAR(SumAtLeastBits(losses), 2222, 1e-3);
}

TEST(ShardLosses, AShardThatShowedNoLossStillHasSome) {
  const auto losses = ShardLosses(CatalogOf({{{1, 0.5f, 0}, {0, 0, 0}}}));
  EXPECT_GT(losses[0][1][0], 0);
  EXPECT_GT(losses[0][1][0], losses[0][1][1]);
}

}  // namespace
}  // namespace stint

#include "lab/stack/layer_times.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(LayerTimes, SaysWhichLayersLoseAndByWhichKernel) {
  Outcome before, after;
  TakeLayerTimes({{"a/1", "BlockedConv", 40, "direct", "", "", ""},
                  {"b", "Relu", 2, "", "", "", ""}},
                 &before);
  TakeLayerTimes({{"a/1", "BlockedConv", 90, "sparse", "", "", ""},
                  {"b", "Relu", 1, "", "", "", ""},
                  {"a.plain", "FromBlocked", 5, "", "", "", ""}},
                 &after);
  std::map<std::string, double> old_figures, new_figures;
  for (const auto& [name, us] : before.samples) old_figures[name] = us[0];
  for (const auto& [name, us] : after.samples) new_figures[name] = us[0];
  new_figures["value"] = 0.9;
  const auto slower = FindSlowerLayers(old_figures, new_figures, 5);
  ASSERT_EQ(slower.size(), 2u);
  EXPECT_EQ(slower[0].name, "a/1");
  EXPECT_EQ(slower[0].kernel_before, "direct");
  EXPECT_EQ(slower[0].kernel_after, "sparse");
  EXPECT_EQ(slower[0].before_us, 40);
  EXPECT_EQ(slower[0].after_us, 90);
  EXPECT_EQ(slower[1].name, "a.plain");
  EXPECT_EQ(slower[1].kernel_before, "");
  EXPECT_EQ(FindSlowerLayers(old_figures, new_figures, 1).size(), 1u);
  EXPECT_TRUE(FindSlowerLayers(old_figures, old_figures, 5).empty());
}

}  // namespace
}  // namespace stint

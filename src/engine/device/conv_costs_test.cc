#include "engine/device/conv_costs.h"

#include <gtest/gtest.h>

#include "core/platform/temporary_folder.h"
#include "engine/device/conv_cost_file.h"

namespace stint {
namespace {

TEST(ConvCosts, KeepsTheFastestFirst) {
  ConvCosts costs;
  costs.Set("layer", {{"direct", 9}, {"winograd4", 4.5}, {"im2col", 20}});
  const auto* found = costs.Find("layer");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ((*found)[0].primitive, "winograd4");
  EXPECT_EQ((*found)[2].primitive, "im2col");
  EXPECT_EQ(costs.Find("other"), nullptr);
  costs.Set("layer", {{"direct", 1}});
  EXPECT_EQ(costs.Find("layer")->size(), 1u);
}

TEST(ConvCosts, TextGoesInAndOut) {
  const std::string text = "a direct 4.00 winograd4 9.25\nb pointwise 1.50\n";
  const auto costs = ConvCosts::Parse(text);
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  EXPECT_EQ(costs->size(), 2u);
  EXPECT_EQ(costs->Find("a")->at(1).us, 9.25);
  EXPECT_EQ(costs->ToText(), text);
}

TEST(ConvCosts, RefusesLinesThatAreWrong) {
  for (const char* text :
       {"a\n", "\n", "a direct\n", "a direct x\n", "a direct 0\n",
        "a direct -1\n", "a direct nan\n", "a direct 1 winograd2\n"}) {
    EXPECT_EQ(ConvCosts::Parse(text).status().code(), StatusCode::kDamaged)
        << text;
  }
}

TEST(ConvCosts, LayersThatDifferAnywhereHaveOtherNames) {
  const ConvF32Shape base;
  const std::string name = ConvLayerName(base, ImageLayout::kBlocked);
  EXPECT_NE(ConvLayerName(base, ImageLayout::kPlain), name);
  int64_t ConvF32Shape::*fields[] = {
      &ConvF32Shape::batch,       &ConvF32Shape::groups,
      &ConvF32Shape::in_channels, &ConvF32Shape::in_h,
      &ConvF32Shape::in_w,        &ConvF32Shape::out_channels,
      &ConvF32Shape::out_h,       &ConvF32Shape::out_w,
      &ConvF32Shape::kernel_h,    &ConvF32Shape::kernel_w,
      &ConvF32Shape::stride_h,    &ConvF32Shape::stride_w,
      &ConvF32Shape::dilation_h,  &ConvF32Shape::dilation_w,
      &ConvF32Shape::pad_top,     &ConvF32Shape::pad_left};
  for (int64_t ConvF32Shape::*field : fields) {
    ConvF32Shape other = base;
    other.*field = 7;
    EXPECT_NE(ConvLayerName(other, ImageLayout::kBlocked), name);
  }
}

TEST(ConvCostFile, IsKeptPerIsaAndThreads) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  ConvCosts costs;
  costs.Set("layer", {{"direct", 9}});
  ASSERT_TRUE(SaveConvCosts(folder.path(), Isa::kAvx2, 2, costs).ok());
  const auto loaded = LoadConvCosts(folder.path(), Isa::kAvx2, 2);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ((*loaded)->ToText(), costs.ToText());
  EXPECT_EQ(LoadConvCosts(folder.path(), Isa::kAvx2, 1).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(LoadConvCosts("", Isa::kAvx2, 2).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace stint

#include "engine/device/conv_schedules.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "engine/device/conv_costs.h"

namespace stint {
namespace {

ConvSchedules TwoLayers() {
  ConvSchedules table;
  table.Set("a", {{"direct", {.tile_blocks = 2, .tile_pixels = 8}}, 10, 12.5});
  table.Set("b", {{"winograd4", {}}, 3, 4});
  return table;
}

TEST(ConvSchedules, TextComesBackAsItWas) {
  const auto parsed = ConvSchedules::Parse(TwoLayers().ToText());
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  ASSERT_NE(parsed->Find("a"), nullptr);
  EXPECT_EQ(parsed->Find("a")->plan, TwoLayers().Find("a")->plan);
  EXPECT_EQ(parsed->Find("a")->default_us, 12.5);
  EXPECT_EQ(parsed->Find("b")->us, 3);
  EXPECT_EQ(parsed->Find("c"), nullptr);
}

TEST(ConvSchedules, RefusesEveryCutLine) {
  const std::string line = "a direct:t8x2 10.125 12.5625";
  for (size_t size = 1; size <= line.rfind(' ') + 1; ++size) {
    EXPECT_EQ(ConvSchedules::Parse(line.substr(0, size)).status().code(),
              StatusCode::kDamaged)
        << size;
  }
  for (const char* wrong : {"a direct:t8x2 0 1", "a direct:t8x2 nan 1",
                            "a direct 1 2 3", "a direct:z1 1 2"}) {
    EXPECT_FALSE(ConvSchedules::Parse(wrong).ok()) << wrong;
  }
}

TEST(ConvSchedules, FileIsForOneMachineAndItsDamageIsSaid) {
  const auto folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder.ok());
  const std::string& path = folder->path();
  EXPECT_EQ(LoadConvSchedules(path, Isa::kAvx2, 2).status().code(),
            StatusCode::kNotFound);
  ASSERT_TRUE(SaveConvSchedules(path, Isa::kAvx2, 2, TwoLayers()).ok());
  const auto loaded = LoadConvSchedules(path, Isa::kAvx2, 2);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ((*loaded)->layers().size(), 2u);
  EXPECT_EQ(LoadConvSchedules(path, Isa::kAvx2, 1).status().code(),
            StatusCode::kNotFound);
  const std::string file = JoinPath(path, (*ListDirectory(path))[0]);
  std::string text = *ReadFile(file);
  text[text.size() / 2] ^= 1;
  ASSERT_TRUE(WriteFileAtomically(file, text).ok());
  EXPECT_EQ(LoadConvSchedules(path, Isa::kAvx2, 2).status().code(),
            StatusCode::kDamaged);
}

TEST(ParseConvLayerName, GivesBackTheShape) {
  ConvF32Shape s;
  s.in_channels = 3;
  s.out_channels = 64;
  s.in_h = s.in_w = 32;
  s.out_h = s.out_w = 16;
  s.kernel_h = s.kernel_w = 7;
  s.stride_h = s.stride_w = 2;
  s.pad_top = s.pad_left = 3;
  const std::string name = ConvLayerName(s, ImageLayout::kPlain);
  const auto layer = ParseConvLayerName(name);
  ASSERT_TRUE(layer.has_value());
  EXPECT_EQ(ConvLayerName(layer->shape, layer->input), name);
  EXPECT_EQ(layer->input, ImageLayout::kPlain);
  for (const std::string& wrong :
       {std::string(), std::string("a"), name + "x", name.substr(1),
        "0" + name.substr(1), name.substr(0, name.size() - 1)}) {
    EXPECT_FALSE(ParseConvLayerName(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace stint

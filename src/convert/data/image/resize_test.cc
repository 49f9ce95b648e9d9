#include "convert/data/image/resize.h"

#include <gtest/gtest.h>

#include "convert/data/npy.h"

namespace stint {
namespace {

Tensor Fixture(const std::string& name) {
  return ReadNpy(std::string(STINT_TEST_FIXTURES) + "/image/" + name + ".npy")
      .value();
}

Image Source() {
  const Tensor tensor = Fixture("resize_source");
  const uint8_t* begin = tensor.data<uint8_t>();
  return {static_cast<int>(tensor.dim(1)), static_cast<int>(tensor.dim(0)),
          std::vector<uint8_t>(begin, begin + tensor.size())};
}

TEST(ResizeBilinear, EqualsPilBitForBit) {
  const Image source = Source();
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {13, 9}, {26, 18}, {7, 5}, {13, 4}, {40, 9}, {1, 1}, {5, 30}}) {
    const std::string name =
        "resize_" + std::to_string(width) + "x" + std::to_string(height);
    const Tensor expected = Fixture(name);
    const Image resized = ResizeBilinear(source, width, height).value();
    EXPECT_EQ(resized.width, width);
    EXPECT_EQ(resized.height, height);
    const uint8_t* begin = expected.data<uint8_t>();
    EXPECT_EQ(resized.rgb, std::vector<uint8_t>(begin, begin + expected.size()))
        << name;
  }
}

TEST(ResizeBilinear, KeepsConstantColor) {
  const Image gray{50, 40, std::vector<uint8_t>(size_t{50} * 40 * 3, 201)};
  const Image resized = ResizeBilinear(gray, 17, 93).value();
  EXPECT_EQ(resized.rgb, std::vector<uint8_t>(size_t{17} * 93 * 3, 201));
}

TEST(ResizeBilinear, RefusesImpossibleSizes) {
  EXPECT_FALSE(ResizeBilinear(Source(), 0, 5).ok());
  EXPECT_FALSE(ResizeBilinear(Source(), 5, -1).ok());
  EXPECT_FALSE(ResizeBilinear(Source(), 1 << 20, 1 << 20).ok());
  EXPECT_FALSE(ResizeBilinear(Image{}, 5, 5).ok());
}

}  // namespace
}  // namespace stint

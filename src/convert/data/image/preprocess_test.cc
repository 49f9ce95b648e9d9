#include "convert/data/image/preprocess.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

// Two pixels: (10, 20, 30) and (40, 50, 60).
const Image kTwoPixels{2, 1, {10, 20, 30, 40, 50, 60}};

std::vector<float> Values(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

TEST(Preprocess, SplitsChannelsIntoPlanes) {
  const Tensor tensor = Preprocess(std::span(&kTwoPixels, 1), {}).value();
  EXPECT_EQ(tensor.shape(), (Shape{1, 3, 1, 2}));
  EXPECT_EQ(Values(tensor), (std::vector<float>{10, 40, 20, 50, 30, 60}));
}

TEST(Preprocess, CountsMeansInTheChannelOrderOfTheModel) {
  Preprocessing p;
  p.channel_order = ChannelOrder::kBgr;
  p.mean = {1, 2, 3};
  const Tensor tensor = Preprocess(std::span(&kTwoPixels, 1), p).value();
  EXPECT_EQ(Values(tensor), (std::vector<float>{29, 59, 18, 48, 7, 37}));
}

TEST(Preprocess, ScalesThenSubtractsThenDivides) {
  Preprocessing p;
  p.scale = 10;
  p.mean = {1, 1, 1};
  p.std = {0.5, 0.25, 2};
  const Tensor tensor = Preprocess(std::span(&kTwoPixels, 1), p).value();
  EXPECT_EQ(Values(tensor), (std::vector<float>{0, 6, 4, 16, 1, 2.5}));
}

TEST(Preprocess, ResizesToTheSquareAskedFor) {
  Preprocessing p;
  p.size = 4;
  const std::vector<Image> images = {kTwoPixels, {1, 1, {7, 7, 7}}};
  const Tensor tensor = Preprocess(images, p).value();
  EXPECT_EQ(tensor.shape(), (Shape{2, 3, 4, 4}));
  EXPECT_EQ(Values(tensor).back(), 7);
}

TEST(Preprocess, RefusesDifferentSizesInOneBatch) {
  const std::vector<Image> images = {kTwoPixels, {1, 1, {7, 7, 7}}};
  const Status status = Preprocess(images, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("2x1 and 1x1"), std::string::npos);
}

TEST(Preprocess, RefusesDivisionByZero) {
  Preprocessing p;
  p.scale = 0;
  EXPECT_FALSE(Preprocess(std::span(&kTwoPixels, 1), p).ok());
  p.scale = 1;
  p.std[1] = 0;
  EXPECT_FALSE(Preprocess(std::span(&kTwoPixels, 1), p).ok());
  EXPECT_FALSE(Preprocess({}, {}).ok());
}

}  // namespace
}  // namespace stint

#include <gtest/gtest.h>

#include <cmath>

#include "engine/testing/run_op.h"

namespace stint {
namespace {

Result<std::vector<Value>> Scale(const Resize& op, const Tensor& x,
                                 std::vector<float> scales) {
  return RunOp(op, {x, std::nullopt, Tensor::Vector(scales)});
}

TEST(Resize, RepeatsElementsOfANearestNeighbor) {
  Resize op;
  op.coordinate_transformation_mode = "asymmetric";
  op.nearest_mode = "floor";
  const auto y =
      Scale(op, Filled<float>({1, 1, 1, 2}, {1, 2}), {1, 1, 2, 2}).value();
  EXPECT_EQ(y[0].tensor().shape(), (Shape{1, 1, 2, 4}));
  EXPECT_EQ(Elements<float>(y[0]),
            (std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2}));
}

TEST(Resize, MovesStringsToo) {
  const auto y =
      Scale(Resize{}, Filled<std::string>({2}, {"a", "b"}), {2}).value();
  EXPECT_EQ(Elements<std::string>(y[0]),
            (std::vector<std::string>{"a", "a", "b", "b"}));
}

TEST(Resize, RoundsAndSaturatesIntegers) {
  Resize op;
  op.mode = "linear";
  const auto y = Scale(op, Filled<uint8_t>({2}, {0, 255}), {2}).value();
  // 0, 63.75, 191.25, 255.
  EXPECT_EQ(Elements<uint8_t>(y[0]), (std::vector<uint8_t>{0, 64, 191, 255}));
}

TEST(Resize, CountsOutputsInSinglePrecision) {
  // 10 * 0.7f is 6.9999998 in double precision.
  const auto y =
      Scale(Resize{}, Filled<float>({10}, std::vector<float>(10)), {0.7f});
  EXPECT_EQ(y.value()[0].tensor().shape(), (Shape{7}));
}

TEST(Resize, RejectsScalesThatAreNotPositive) {
  const Tensor x = Filled<float>({2}, {1, 2});
  EXPECT_FALSE(Scale(Resize{}, x, {0}).ok());
  EXPECT_FALSE(Scale(Resize{}, x, {-1}).ok());
  EXPECT_FALSE(Scale(Resize{}, x, {NAN}).ok());
  EXPECT_FALSE(Scale(Resize{}, x, {1e30f}).ok());
  EXPECT_FALSE(Scale(Resize{}, x, {1, 1}).ok());
}

TEST(Resize, RejectsAnImageMadeFromNothing) {
  const Tensor x = Tensor::Allocate(DType::kFloat32, {0}).value();
  EXPECT_FALSE(RunOp(Resize{}, {x, std::nullopt, std::nullopt,
                                Tensor::Vector<int64_t>({4})})
                   .ok());
}

TEST(GridSample, ReadsZerosAtCoordinatesThatAreNotNumbers) {
  const Tensor x = Filled<float>({1, 1, 1, 2}, {3, 4});
  const Tensor grid =
      Filled<float>({1, 1, 3, 2}, {NAN, 0, INFINITY, 0, -1e30f, 0});
  for (const char* mode : {"linear", "nearest", "cubic"}) {
    GridSample op;
    op.mode = mode;
    EXPECT_EQ(Elements<float>(RunOp(op, {x, grid}).value()[0]),
              (std::vector<float>{0, 0, 0}))
        << mode;
  }
}

TEST(GridSample, ReflectsFarCoordinatesIntoTheImage) {
  const Tensor x = Filled<float>({1, 1, 1, 2}, {3, 4});
  const Tensor grid = Filled<float>({1, 1, 2, 2}, {1e30f, 0, -7.3f, 0});
  GridSample op;
  op.padding_mode = "reflection";
  for (float value : Elements<float>(RunOp(op, {x, grid}).value()[0])) {
    EXPECT_GE(value, 3);
    EXPECT_LE(value, 4);
  }
}

TEST(RoiAlign, RejectsBatchesAndRegionsOutOfRange) {
  const Tensor x = Filled<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const auto align = [&](std::vector<float> box, int64_t batch) {
    return RunOp(RoiAlign{}, {x, Filled<float>({1, 4}, box),
                              Tensor::Vector<int64_t>({batch})});
  };
  EXPECT_TRUE(align({0, 0, 2, 2}, 0).ok());
  EXPECT_FALSE(align({0, 0, 2, 2}, 1).ok());
  EXPECT_FALSE(align({0, 0, 2, 2}, -1).ok());
  EXPECT_FALSE(align({0, 0, 1e30f, 1e30f}, 0).ok());
  EXPECT_FALSE(align({NAN, 0, 2, 2}, 0).ok());
}

TEST(DeformConv, ReadsZerosAtOffsetsThatAreNotNumbers) {
  const Tensor x = Filled<float>({1, 1, 1, 1}, {2});
  const Tensor w = Filled<float>({1, 1, 1, 1}, {3});
  const auto run = [&](float dy) {
    const Tensor offset = Filled<float>({1, 2, 1, 1}, {dy, 0});
    return Elements<float>(RunOp(DeformConv{}, {x, w, offset}).value()[0])[0];
  };
  EXPECT_EQ(run(0), 6);
  EXPECT_EQ(run(0.5f), 3);
  EXPECT_EQ(run(NAN), 0);
  EXPECT_EQ(run(1e30f), 0);
}

}  // namespace
}  // namespace stint

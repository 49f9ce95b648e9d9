#include "stint/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/platform/memory/memory.h"
#include "core/tensor/element_access.h"

namespace stint {
namespace {

TEST(Tensor, DefaultIsAnEmptyVector) {
  const Tensor tensor;
  EXPECT_EQ(tensor.dtype(), DType::kFloat32);
  EXPECT_EQ(tensor.shape(), Shape{0});
  EXPECT_EQ(tensor.size(), 0);
}

TEST(Tensor, AllocateGivesAlignedZeros) {
  const Tensor tensor = Tensor::Allocate(DType::kInt16, {3, 5}).value();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.raw()) % 64, 0u);
  EXPECT_EQ(tensor.bytes(), 30u);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(tensor.data<int16_t>()[i], 0);
}

TEST(Tensor, AllocateRefusesNegativeDimensions) {
  EXPECT_EQ(Tensor::Allocate(DType::kFloat32, {2, -1}).status().message(),
            "shape [2,-1] has a negative dimension");
}

TEST(Tensor, AllocateRefusesWhatDoesNotFitInto64Bits) {
  const int64_t huge = int64_t{1} << 40;
  const Status status = Tensor::Allocate(DType::kInt8, {huge, huge}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
}

TEST(Tensor, AllocateRefusesMoreThanTheMachineHas) {
  PretendMemoryForTesting(1024);
  EXPECT_TRUE(Tensor::Allocate(DType::kFloat32, {256}).ok());
  const Status status = Tensor::Allocate(DType::kFloat32, {257}).status();
  PretendMemoryForTesting(0);
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(),
            "tensor float32[257] is larger than this machine's memory");
}

TEST(Tensor, ZeroDoesNotExcuseTheOtherDimensions) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(ElementCount({huge, huge, 0}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(ElementCount({huge, 0}).value(), 0);
}

TEST(Tensor, FromVectorCountsItsValues) {
  EXPECT_EQ(Tensor::FromVector<float>({2, 2}, {1, 2, 3}).status().message(),
            "tensor of shape [2,2] needs 4 elements, got 3");
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor tensor = Tensor::Vector<int64_t>({1, 2});
  const Tensor copy = tensor;
  const Tensor clone = tensor.Clone().value();
  tensor.data<int64_t>()[0] = 7;
  EXPECT_EQ(copy.data<int64_t>()[0], 7);
  EXPECT_EQ(clone.data<int64_t>()[0], 1);
}

TEST(Tensor, StringsAreCloned) {
  const Tensor tensor = Tensor::Vector<std::string>({"a", "bc"});
  const Tensor clone = tensor.Clone().value();
  EXPECT_EQ(clone.data<std::string>()[1], "bc");
  EXPECT_NE(clone.raw(), tensor.raw());
}

TEST(Tensor, BorrowKeepsItsOwnerAlive) {
  auto owner = std::make_shared<std::vector<float>>(2, 3.0f);
  const std::weak_ptr<std::vector<float>> watch = owner;
  {
    const Tensor tensor =
        Tensor::Borrow(DType::kFloat32, {2}, owner->data(), owner);
    owner = nullptr;
    EXPECT_EQ(tensor.data<float>()[1], 3.0f);
  }
  EXPECT_TRUE(watch.expired());
}

TEST(DTypes, SizesAndNamesAgree) {
  EXPECT_EQ(DTypeName(DType::kFloat8E5M2FNUZ), "float8e5m2fnuz");
  EXPECT_EQ(DTypeSize(DType::kComplex128), 16u);
  EXPECT_EQ(DTypeSize(DType::kInt4), 1u);
  EXPECT_TRUE(IsFloat(DType::kFloat4E2M1));
  EXPECT_FALSE(IsFloat(DType::kComplex64));
  EXPECT_TRUE(IsInteger(DType::kUInt2));
  EXPECT_FALSE(IsInteger(DType::kBool));
}

// Every numeric type holds these four.
TEST(ElementAccess, EveryTypeStoresAndLoadsSmallNumbers) {
  const std::vector<double> values = {0, 1, 1, 0};
  for (int i = 0; i <= static_cast<int>(DType::kFloat4E2M1); ++i) {
    const DType dtype = static_cast<DType>(i);
    // There is no zero among the powers of two.
    if (dtype == DType::kString || dtype == DType::kFloat8E8M0) continue;
    Tensor tensor = Tensor::Allocate(dtype, {4}).value();
    StoreElements<double>(values.data(), 0, 4, &tensor);
    EXPECT_EQ(ElementsAs<double>(tensor), values) << DTypeName(dtype);
    EXPECT_EQ(ElementsAs<int64_t>(tensor), (std::vector<int64_t>{0, 1, 1, 0}));
  }
}

TEST(ElementAccess, LoadsARangeOnly) {
  const Tensor tensor = Tensor::Vector<int32_t>({5, 6, 7, 8});
  float out[2] = {};
  LoadElements<float>(tensor, 1, 2, out);
  EXPECT_EQ(out[0], 6);
  EXPECT_EQ(out[1], 7);
}

TEST(ElementAccess, IntegersKeepTheirLowBits) {
  Tensor narrow = Tensor::Allocate(DType::kInt8, {3}).value();
  const int64_t values[] = {128, -129, 511};
  StoreElements<int64_t>(values, 0, 3, &narrow);
  EXPECT_EQ(ElementsAs<int64_t>(narrow), (std::vector<int64_t>{-128, 127, -1}));
}

TEST(ElementAccess, FourBitIntegersExtendTheirSign) {
  const int64_t values[] = {7, 8, 15, -8};
  Tensor with_sign = Tensor::Allocate(DType::kInt4, {4}).value();
  StoreElements<int64_t>(values, 0, 4, &with_sign);
  EXPECT_EQ(ElementsAs<int64_t>(with_sign),
            (std::vector<int64_t>{7, -8, -1, -8}));
  Tensor without = Tensor::Allocate(DType::kUInt4, {4}).value();
  StoreElements<int64_t>(values, 0, 4, &without);
  EXPECT_EQ(ElementsAs<int64_t>(without), (std::vector<int64_t>{7, 8, 15, 8}));
}

TEST(ElementAccess, FloatsBeyondAnIntegerStopAtItsBounds) {
  const double inf = std::numeric_limits<double>::infinity();
  Tensor out = Tensor::Allocate(DType::kInt64, {4}).value();
  const double values[] = {1e30, -1e30, inf, std::nan("")};
  StoreElements<double>(values, 0, 4, &out);
  EXPECT_EQ(ElementsAs<int64_t>(out),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN, INT64_MAX, 0}));
}

TEST(ElementAccess, UnsignedNumbersReachTheTop) {
  const Tensor top = Tensor::Vector<uint64_t>({UINT64_MAX});
  EXPECT_EQ(ElementsAs<uint64_t>(top)[0], UINT64_MAX);
  Tensor out = Tensor::Allocate(DType::kUInt64, {1}).value();
  const float two_to_63 = 0x1.0p63f;
  StoreElements<float>(&two_to_63, 0, 1, &out);
  EXPECT_EQ(ElementsAs<uint64_t>(out)[0], uint64_t{1} << 63);
}

TEST(ElementAccess, EverythingButZeroIsTrue) {
  Tensor out = Tensor::Allocate(DType::kBool, {3}).value();
  const float values[] = {0.0f, 0.25f, -3.0f};
  StoreElements<float>(values, 0, 3, &out);
  EXPECT_EQ(ElementsAs<int64_t>(out), (std::vector<int64_t>{0, 1, 1}));
}

TEST(ElementAccess, StridesAreRowMajor) {
  EXPECT_EQ(StridesOf({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_TRUE(StridesOf({}).empty());
}

}  // namespace
}  // namespace stint

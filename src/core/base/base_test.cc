#include <gtest/gtest.h>

#include <set>

#include "core/base/checked_math.h"
#include "core/base/function_ref.h"
#include "core/base/random.h"
#include "stint/calibration.h"
#include "stint/lab.h"
#include "stint/pooling.h"
#include "stint/status.h"
#include "stint/target.h"

namespace stint {
namespace {

TEST(CheckedMath, ReportsProductsThatDoNotFit) {
  int64_t out = 0;
  EXPECT_TRUE(CheckedMul(int64_t{1} << 31, int64_t{1} << 31, &out));
  EXPECT_EQ(out, int64_t{1} << 62);
  EXPECT_FALSE(CheckedMul(int64_t{1} << 32, int64_t{1} << 31, &out));
  EXPECT_FALSE(CheckedMul(INT64_MIN, -1, &out));
}

TEST(CheckedMath, ReportsSumsThatDoNotFit) {
  int64_t out = 0;
  EXPECT_TRUE(CheckedAdd(INT64_MAX, -1, &out));
  EXPECT_EQ(out, INT64_MAX - 1);
  EXPECT_FALSE(CheckedAdd(INT64_MAX, 1, &out));
  EXPECT_FALSE(CheckedAdd(INT64_MIN, -1, &out));
}

TEST(CheckedMath, RoundsUpToMultiples) {
  EXPECT_EQ(CeilDiv(0, 64), 0);
  EXPECT_EQ(CeilDiv(1, 64), 1);
  EXPECT_EQ(CeilDiv(64, 64), 1);
  EXPECT_EQ(RoundUp(65, 64), 128);
}

// Values of the reference implementation (Vigna, splitmix64.c) for seed
// 1234567.
TEST(Random, IsSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.NextU64(), 6457827717110365317u);
  EXPECT_EQ(random.NextU64(), 3203168211198807973u);
  EXPECT_EQ(random.NextU64(), 9817491932198370423u);
}

TEST(Random, IntsStayBelowTheirBoundAndReachAll) {
  Random random(3);
  std::set<int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random.NextInt(5));
  EXPECT_EQ(seen, (std::set<int64_t>{0, 1, 2, 3, 4}));
}

TEST(Random, NormalNumbersHaveMeanZeroAndVarianceOne) {
  Random random(5);
  double sum = 0;
  double squares = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.NextNormal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(squares / kCount, 1, 0.05);
}

TEST(FunctionRef, CallsTheObjectItRefersTo) {
  int calls = 0;
  auto count = [&](int by) { return calls += by; };
  const FunctionRef<int(int)> ref = count;
  EXPECT_EQ(ref(2), 2);
  EXPECT_EQ(ref(3), 5);
}

TEST(Status, AnnotateKeepsTheCodeAndPrependsTheContext) {
  const Status status = NotFound("no tensor 'w'").Annotate("model.onnx");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "model.onnx: no tensor 'w'");
  EXPECT_TRUE(OkStatus().Annotate("model.onnx").ok());
}

TEST(Status, ResultOfAnOkStatusIsAnInternalError) {
  const Result<int> result = OkStatus();
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::kInternal);
}

Result<int> Half(int x) {
  if (x % 2 != 0) return InvalidArgument("odd");
  return x / 2;
}
Result<int> Quarter(int x) {
  STINT_ASSIGN_OR_RETURN(const int half, Half(x));
  return Half(half);
}

TEST(Status, AssignOrReturnPassesTheErrorOn) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_EQ(Quarter(6).status().message(), "odd");
  EXPECT_EQ(Quarter(5).status().message(), "odd");
}

TEST(ResultDeathTest, ValueOfAnErrorEndsTheProgramWithItsMessage) {
  const Result<int> result = NotFound("m.onnx: no such file");
  EXPECT_DEATH(static_cast<void>(result.value()),
               "not found: m.onnx: no such file");
}

// Every name is found again, and no other one.
template <typename Enum>
void ExpectNames(std::span<const std::string_view> names,
                 std::optional<Enum> (*parse)(std::string_view),
                 std::string_view (*name_of)(Enum)) {
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(parse(names[i]), static_cast<Enum>(i)) << names[i];
    EXPECT_EQ(name_of(static_cast<Enum>(i)), names[i]);
  }
  EXPECT_EQ(parse("int3"), std::nullopt);
  EXPECT_EQ(parse(""), std::nullopt);
}

TEST(EnumNames, AreReadBack) {
  ExpectNames(IsaNames(), ParseIsa, IsaName);
  ExpectNames(PrecisionNames(), ParsePrecision, PrecisionName);
  ExpectNames(ScheduleModeNames(), ParseScheduleMode, ScheduleModeName);
  ExpectNames(RangeObserverNames(), ParseRangeObserver, RangeObserverName);
  ExpectNames(PoolingNames(), ParsePooling, PoolingName);
  EXPECT_EQ(PrecisionName(Precision::kAuto), "auto");
  EXPECT_EQ(IsaName(Isa::kAmx), "amx");
}

}  // namespace
}  // namespace stint

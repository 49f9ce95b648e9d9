#include "kernels/image_u8/quantize_by_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/checked_math.h"
#include "core/base/random.h"
#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"

namespace stint {
namespace {

class QuantizeByRangeTest : public testing::TestWithParam<int64_t> {
 protected:
  // 2 images of 37 channels and 3 x 701 pixels; the second is 10 times as loud.
  static constexpr int64_t kChannels = 37, kPlane = 2103, kBatch = 2;

  void SetUp() override {
    args_.batch = kBatch;
    args_.channels = kChannels;
    args_.plane = kPlane;
    args_.block = GetParam();
    blocks_ = CeilDiv(kChannels, args_.block);
    x_.resize(static_cast<size_t>(kBatch * blocks_ * kPlane * args_.block));
    Random random(3);
    for (int64_t n = 0; n < kBatch; ++n) {
      for (int64_t c = 0; c < kChannels; ++c) {
        for (int64_t p = 0; p < kPlane; ++p) {
          x_[At(n, c, p)] =
              static_cast<float>(random.NextNormal()) * (n == 0 ? 1.0f : 10.0f);
        }
      }
    }
    y_.resize(static_cast<size_t>(kBatch * kPlane * kChannels));
    args_.x = x_.data();
    args_.y = y_.data();
    args_.scale = scale_;
    args_.zero = zero_;
    scratch_.resize(
        static_cast<size_t>(QuantizeByRangeScratchBytes(args_) / 4));
    args_.scratch = scratch_.data();
  }

  size_t At(int64_t n, int64_t c, int64_t p) const {
    const int64_t b = args_.block;
    return static_cast<size_t>(((n * blocks_ + c / b) * kPlane + p) * b +
                               c % b);
  }
  float Restored(int64_t n, int64_t c, int64_t p) const {
    const int q = y_[static_cast<size_t>((n * kPlane + p) * kChannels + c)];
    return scale_[n] * static_cast<float>(q - zero_[n]);
  }
  // Every element is within a step of `gate` times what it was, and the
  // steps are those of a whole range: 255 of them.
  void ExpectRestored(const std::vector<float>& gate) const {
    for (int64_t n = 0; n < kBatch; ++n) {
      float lo = 0, hi = 0;
      for (int64_t c = 0; c < kChannels; ++c) {
        for (int64_t p = 0; p < kPlane; ++p) {
          const float x =
              x_[At(n, c, p)] * gate[static_cast<size_t>(n * kChannels + c)];
          lo = std::min(lo, x);
          hi = std::max(hi, x);
          ASSERT_NEAR(Restored(n, c, p), x, scale_[n] * 1.001f)
              << "image " << n << " channel " << c << " pixel " << p;
        }
      }
      EXPECT_FLOAT_EQ(scale_[n], (hi - lo) / 255);
    }
  }

  QuantizeByRangeArgs args_;
  int64_t blocks_ = 0;
  std::vector<float> x_, scratch_;
  std::vector<uint8_t> y_;
  float scale_[kBatch] = {};
  uint8_t zero_[kBatch] = {};
};

TEST_P(QuantizeByRangeTest, EachImageHasItsOwnScale) {
  const std::vector<float> ones(kBatch * kChannels, 1.0f);
  for (const ImageU8Kernel& kernel : ImageU8Table()) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(kernel.name);
    for (int threads : {1, 3}) {
      ThreadPool pool(threads);
      QuantizeByRange(kernel, args_, &pool);
      ExpectRestored(ones);
    }
  }
}

TEST_P(QuantizeByRangeTest, GatesMultiplyChannels) {
  ThreadPool pool(2);
  std::vector<float> plain(kBatch * kChannels);
  std::vector<float> gate(static_cast<size_t>(kBatch * blocks_ * args_.block));
  for (int64_t n = 0; n < kBatch; ++n) {
    for (int64_t c = 0; c < kChannels; ++c) {
      const float g = 0.01f * static_cast<float>(c + n);
      plain[static_cast<size_t>(n * kChannels + c)] = g;
      gate[static_cast<size_t>(n * blocks_ * args_.block + c)] = g;
    }
  }
  args_.gate = gate.data();
  QuantizeByRange(PickImageU8(DetectIsa()), args_, &pool);
  ExpectRestored(plain);
}

TEST_P(QuantizeByRangeTest, AnImageOfZerosHasScaleZero) {
  ThreadPool pool(1);
  std::fill(x_.begin(), x_.end(), 0.0f);
  QuantizeByRange(PickImageU8(DetectIsa()), args_, &pool);
  EXPECT_EQ(scale_[0], 0);
  EXPECT_EQ(y_, std::vector<uint8_t>(y_.size(), zero_[0]));
}

INSTANTIATE_TEST_SUITE_P(Blocks, QuantizeByRangeTest,
                         testing::Values(1, 4, 8, 16));

}  // namespace
}  // namespace stint

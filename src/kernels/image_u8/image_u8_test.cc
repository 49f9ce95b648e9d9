#include "kernels/image_u8/image_u8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

std::vector<uint8_t> RandomBytes(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<uint8_t> bytes(static_cast<size_t>(count));
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.NextInt(256));
  return bytes;
}

uint8_t Byte(float x, int zero) {
  return static_cast<uint8_t>(
      std::clamp(std::nearbyint(x) + static_cast<float>(zero), 0.0f, 255.0f));
}

std::vector<const ImageU8Kernel*> Runnable() {
  std::vector<const ImageU8Kernel*> rows;
  for (const ImageU8Kernel& kernel : ImageU8Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

// Calls body(kernel, n) for every row of the table and lengths around its
// vectors.
template <class Body>
void ForRows(Body body) {
  for (const ImageU8Kernel* kernel : Runnable()) {
    for (int64_t n : {1, 3, 4, 15, 16, 17, 48, 64, 100, 144}) {
      SCOPED_TRACE(std::string(kernel->name) + " " + std::to_string(n));
      body(*kernel, n);
    }
  }
}

constexpr ByteAffine kAffine = {0.37f, 100, 20};

TEST(ImageU8, TapsMatchTheirDefinition) {
  ForRows([](const ImageU8Kernel& kernel, int64_t n) {
    const std::vector<uint8_t> x = RandomBytes(5 * n, 1);
    std::vector<const uint8_t*> taps;
    for (int64_t t = 0; t < 5; ++t) taps.push_back(x.data() + t * n);
    std::vector<uint8_t> most(n), sum(n), want_most(n), want_sum(n);
    kernel.max(taps.data(), 5, n, most.data());
    kernel.sum(taps.data(), 5, n, kAffine, sum.data());
    for (int64_t i = 0; i < n; ++i) {
      int total = 0;
      for (const uint8_t* tap : taps) {
        want_most[i] = std::max(want_most[i], tap[i]);
        total += tap[i] - kAffine.zero;
      }
      want_sum[i] =
          Byte(static_cast<float>(total) * kAffine.scale, kAffine.out_zero);
    }
    EXPECT_EQ(most, want_most);
    EXPECT_EQ(sum, want_sum);
  });
}

TEST(ImageU8, ElementwiseLoopsMatchTheirDefinition) {
  ForRows([](const ImageU8Kernel& kernel, int64_t n) {
    const std::vector<uint8_t> a = RandomBytes(n, 1), b = RandomBytes(n, 2);
    const std::vector<float> gate = RandomFloats(n, 3);
    const ByteAffine affine[2] = {kAffine, {0.81f, 30, 0}};
    std::vector<uint8_t> y(n), sum(n), gated(n), bytes(n);
    std::vector<float> floats(n);
    kernel.requantize(a.data(), n, kAffine, y.data());
    kernel.add(a.data(), b.data(), n, affine, sum.data());
    kernel.gate(a.data(), gate.data(), n, kAffine, gated.data());
    kernel.quantize(gate.data(), n, {100, 0, 110}, bytes.data());
    kernel.dequantize(a.data(), n, kAffine, floats.data());
    for (int64_t i = 0; i < n; ++i) {
      const float x = static_cast<float>(a[i] - 100);
      EXPECT_EQ(y[i], Byte(x * 0.37f, 20));
      volatile float left = x * 0.37f;
      volatile float right = static_cast<float>(b[i] - 30) * 0.81f;
      EXPECT_EQ(sum[i], Byte(left + right, 20));
      EXPECT_EQ(gated[i], Byte(x * gate[i], 20));
      EXPECT_EQ(bytes[i], Byte(gate[i] * 100, 110));
      EXPECT_EQ(floats[i], x * 0.37f);
    }
  });
}

TEST(ImageU8, RangesWidenToHoldEveryElement) {
  for (const ImageU8Kernel* kernel : Runnable()) {
    SCOPED_TRACE(kernel->name);
    for (int64_t n = 0; n < 40; ++n) {
      for (int64_t at = 0; at < n; ++at) {
        std::vector<float> x(static_cast<size_t>(n), 0.5f);
        float lo = 0.25f, hi = 0.75f;
        x[static_cast<size_t>(at)] = at % 2 == 0 ? -3.0f : 7.0f;
        kernel->range(x.data(), n, &lo, &hi);
        EXPECT_EQ(lo, at % 2 == 0 ? -3.0f : 0.25f) << at << " of " << n;
        EXPECT_EQ(hi, at % 2 == 0 ? 0.75f : 7.0f) << at << " of " << n;
      }
    }
  }
}

TEST(ImageU8, GlobalAverageCountsEveryPixelOnce) {
  for (const ImageU8Kernel* kernel : Runnable()) {
    for (int threads : {1, 2, 3}) {
      SCOPED_TRACE(kernel->name);
      ThreadPool pool(threads);
      const ImageU8Shape shape{2, 70, 301, 80};
      const std::vector<uint8_t> x = RandomBytes(2 * 301 * 80, 1);
      std::vector<float> y(2 * 70);
      std::vector<int32_t> sums(threads * 80, 12345);
      GlobalAverageU8(*kernel,
                      {shape, 0.5f, 9, x.data(), y.data(), sums.data()}, &pool);
      for (int64_t i = 0; i < 140; ++i) {
        double sum = 0;
        for (int64_t p = 0; p < 301; ++p) {
          sum += x[(i / 70 * 301 + p) * 80 + i % 70];
        }
        EXPECT_NEAR(y[i], 0.5 * (sum / 301 - 9), 1e-4);
      }
    }
  }
}

TEST(ImageU8, ConversionsMovePixelsToTheirPlace) {
  ThreadPool pool(2);
  for (const ImageU8Kernel* kernel : Runnable()) {
    for (int64_t channels : {3, 20, 90}) {
      SCOPED_TRACE(std::string(kernel->name) + " " + std::to_string(channels));
      const int64_t pixel = channels == 3 ? 4 : (channels + 15) / 16 * 16;
      const ImageU8Shape shape{2, channels, 130, pixel};
      // Multiples of a step, which both directions keep.
      std::vector<float> x(2 * channels * 130), back(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = 0.25f * static_cast<float>(static_cast<int>(i * 7 % 256) - 100);
      }
      std::vector<uint8_t> bytes(2 * 130 * pixel);
      QuantizeImageU8(*kernel, shape, {4, 0, 100}, x.data(), bytes.data(),
                      &pool);
      EXPECT_EQ(bytes[5 * pixel + 2], (2 * 130 + 5) * 7 % 256);
      DequantizeImageU8(*kernel, shape, {0.25f, 100, 0}, bytes.data(),
                        back.data(), &pool);
      EXPECT_EQ(back, x);
    }
  }
}

TEST(PoolU8, WindowsLeaveOutOrCountThePadding) {
  ThreadPool pool(1);
  // [1, 2, 2, 4]: pixels 10, 20, 30, 40 in each channel.
  std::vector<uint8_t> x;
  for (uint8_t v : {10, 20, 30, 40}) x.insert(x.end(), 4, v);
  for (const ImageU8Kernel* kernel : Runnable()) {
    PoolU8Args args;
    args.pixel = 4;
    args.h = args.w = {2, 2, 2, 2, 1, 1, 1};
    args.x = x.data();
    std::vector<uint8_t> y(16);
    args.y = y.data();
    PoolU8(*kernel, args, &pool);
    EXPECT_EQ(y[0], 10);
    EXPECT_EQ(y[12], 40);
    args.average = true;
    args.zero = 2;
    PoolU8(*kernel, args, &pool);
    EXPECT_EQ(y[0], 10);
    args.count_include_pad = true;
    PoolU8(*kernel, args, &pool);
    EXPECT_EQ(y[0], 4);  // (10 - 2) / 4 + 2
  }
}

}  // namespace
}  // namespace stint

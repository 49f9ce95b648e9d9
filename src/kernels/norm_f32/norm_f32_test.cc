#include "kernels/norm_f32/norm_f32.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/norm_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

// Rows with a mean far from 0, where a one-pass variance would cancel. Two
// neighbors may lie 0.01 apart, so rounding the mean shows in the fifth digit.
void CheckRows(int64_t rows, int64_t n, bool center, bool affine) {
  std::vector<float> x = RandomFloats(rows * n, 1);
  for (float& v : x) v += 10;
  const std::vector<float> scale = RandomFloats(n, 2);
  const std::vector<float> bias = RandomFloats(n, 3);
  std::vector<float> want(x.size()), mean(rows), inv(rows);
  RowNormF32Args args{x.data(), want.data(), rows, n};
  if (affine) {
    args.scale = scale.data();
    args.bias = bias.data();
  }
  args.mean = mean.data();
  args.inv_std = inv.data();
  (center ? ReferenceLayerNormF32 : ReferenceRmsNormF32)(args);
  ThreadPool pool(2);
  for (const NormF32Kernel& kernel : NormF32Table()) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(testing::Message() << kernel.name << " " << rows << "x" << n);
    std::vector<float> got = x, got_mean(rows), got_inv(rows);
    args.x = args.y = got.data();
    args.mean = got_mean.data();
    args.inv_std = got_inv.data();
    RowNormF32(center ? kernel.layer : kernel.rms, args, &pool);
    ExpectClose(got, want, 1e-4);
    ExpectClose(got_mean, mean, 1e-6);
    ExpectClose(got_inv, inv, 1e-4);
  }
}

TEST(NormF32, NormalizesRows) {
  for (bool affine : {false, true}) {
    for (int64_t n : {2, 4, 7, 8, 16, 17, 31, 33, 384, 1000}) {
      CheckRows(1, n, true, affine);
      CheckRows(50, n, true, affine);
      CheckRows(3, n, false, affine);
    }
  }
}

TEST(NormF32, ScalesEachChannel) {
  ThreadPool pool(3);
  for (int64_t inner : {1, 3, 16, 49, 3000}) {
    const int64_t outer = 2, channels = 19;
    const std::vector<float> x = RandomFloats(outer * channels * inner, 1);
    const std::vector<float> scale = RandomFloats(channels, 2);
    const std::vector<float> shift = RandomFloats(channels, 3);
    std::vector<float> want(x.size());
    ChannelNormF32Args args{x.data(), want.data(),  outer,       channels,
                            inner,    scale.data(), shift.data()};
    args.lo = 0;
    args.end = inner == 1 ? outer : outer * channels;
    ReferenceChannelNormF32(args);
    for (const NormF32Kernel& kernel : NormF32Table()) {
      if (!RunsHere(kernel)) continue;
      SCOPED_TRACE(testing::Message() << kernel.name << " inner " << inner);
      std::vector<float> got(x.size());
      args.y = got.data();
      ChannelNormF32(kernel, args, &pool);
      ExpectClose(got, want, 1e-6);
    }
  }
}

}  // namespace
}  // namespace stint

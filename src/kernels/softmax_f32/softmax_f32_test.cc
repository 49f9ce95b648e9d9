#include "kernels/softmax_f32/softmax_f32.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/platform/thread_pool.h"
#include "core/testing/isa_variants.h"
#include "kernels/softmax_f32/reference.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

void CheckShape(int64_t outer, int64_t n, int64_t inner, bool log) {
  std::vector<float> x = RandomFloats(outer * n * inner, 1);
  for (float& v : x) v *= 20;
  std::vector<float> want(x.size());
  SoftmaxF32Args args{x.data(), want.data(), outer, n, inner, log};
  ReferenceSoftmaxF32(args);
  ThreadPool pool(2);
  for (const SoftmaxF32Kernel& kernel : SoftmaxF32Table()) {
    if (!RunsHere(kernel)) continue;
    SCOPED_TRACE(testing::Message() << kernel.name << " " << outer << "x" << n
                                    << "x" << inner << " log " << log);
    std::vector<float> got = x;
    SoftmaxF32(kernel, {got.data(), got.data(), outer, n, inner, log}, &pool);
    ExpectClose(got, want, 1e-6);
  }
}

TEST(SoftmaxF32, MatchesReferenceAroundTheVector) {
  for (bool log : {false, true}) {
    for (int64_t n : {1, 3, 4, 7, 8, 15, 16, 17, 33, 128, 1000}) {
      CheckShape(1, n, 1, log);
      CheckShape(37, n, 1, log);
    }
  }
}

TEST(SoftmaxF32, RunsAlongAnyAxis) {
  for (bool log : {false, true}) {
    for (int64_t inner : {2, 16, 19}) CheckShape(3, 21, inner, log);
  }
}

TEST(SoftmaxF32, SurvivesLargeAndMaskedInputs) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const SoftmaxF32Kernel& kernel : SoftmaxF32Table()) {
    if (!RunsHere(kernel)) continue;
    std::vector<float> x(20, -inf);
    x[0] = x[19] = 3e38f;
    std::vector<float> y(20);
    kernel.run({x.data(), y.data(), 1, 20});
    std::vector<float> want(20, 0.0f);
    want[0] = want[19] = 0.5f;
    EXPECT_EQ(y, want) << kernel.name;
  }
}

}  // namespace
}  // namespace stint

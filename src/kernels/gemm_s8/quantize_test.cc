#include <gtest/gtest.h>

#include <vector>

#include "core/base/checked_math.h"
#include "core/testing/isa_variants.h"
#include "kernels/gemm_s8/gemm_s8.h"
#include "kernels/gemm_s8/quantize_columns.h"
#include "kernels/testing/floats.h"

namespace stint {
namespace {

std::vector<const GemmS8Kernel*> Runnable() {
  std::vector<const GemmS8Kernel*> rows;
  for (const GemmS8Kernel& kernel : GemmS8Table()) {
    if (RunsHere(kernel)) rows.push_back(&kernel);
  }
  return rows;
}

TEST(QuantizeRows, EveryRowOfTheTableGivesTheBytesOfTheReference) {
  const GemmS8Kernel& reference = GemmS8Table().back();
  ThreadPool pool(2);
  for (int64_t k : {1, 3, 4, 15, 16, 17, 100, 385}) {
    for (RowQuantization mode :
         {RowQuantization::kAsymmetric, RowQuantization::kSymmetric}) {
      const int64_t m = 5, ldq = RoundUp(k, 4);
      const std::vector<float> x = RandomFloats(m * k, 1);
      auto run = [&](const GemmS8Kernel& kernel, std::vector<uint8_t>* zero,
                     std::vector<float>* scale) {
        std::vector<uint8_t> q(m * ldq, 99);
        QuantizeRows(kernel,
                     {m, k, x.data(), k, q.data(), ldq, scale->data(),
                      zero->data(), mode},
                     &pool);
        return q;
      };
      std::vector<uint8_t> want_zero(m), zero(m);
      std::vector<float> want_scale(m), scale(m);
      const auto want = run(reference, &want_zero, &want_scale);
      for (const GemmS8Kernel* kernel : Runnable()) {
        SCOPED_TRACE(kernel->name);
        EXPECT_EQ(run(*kernel, &zero, &scale), want);
        EXPECT_EQ(zero, want_zero);
        EXPECT_EQ(scale, want_scale);
      }
    }
  }
}

TEST(QuantizeRows, PiecesHoldTheBytesOfTheRow) {
  const int64_t m = 16, piece = 1024;
  for (int64_t k : {1, 63, 64, 65, 100, 128, 385}) {
    const std::vector<float> x = RandomFloats(m * k, 1);
    std::vector<uint8_t> zero(m), row(m * RoundUp(k, 4));
    std::vector<float> scale(m);
    for (const GemmS8Kernel* kernel : Runnable()) {
      SCOPED_TRACE(kernel->name);
      QuantizeRowsArgs args{
          m,          k, x.data(), k, row.data(), RoundUp(k, 4), scale.data(),
          zero.data()};
      QuantizeRows(*kernel, args, nullptr);
      std::vector<uint8_t> pieces(RoundUp(k, 64) * m, 99);
      args.q = pieces.data();
      args.ldq = 64;
      args.piece_stride = piece;
      QuantizeRows(*kernel, args, nullptr);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < RoundUp(k, 64); ++j) {
          ASSERT_EQ(pieces[j / 64 * piece + i * 64 + j % 64],
                    j < k ? row[i * RoundUp(k, 4) + j] : 0)
              << i << " " << j;
        }
      }
    }
  }
}

TEST(QuantizeRows, RestoresValuesWithinHalfAStep) {
  const std::vector<float> rows = {-1.0f, 0.5f, 3.0f, 0.0f,    //
                                   2.0f,  4.0f, 8.0f, 1.0f,    //
                                   -2.0f, -8.f, -1.f, -5.0f,   //
                                   3e38f, 0.0f, 1.0f, -3e38f,  //
                                   0.0f,  0.0f, 0.0f, 0.0f};
  for (const GemmS8Kernel* kernel : Runnable()) {
    for (RowQuantization mode :
         {RowQuantization::kAsymmetric, RowQuantization::kSymmetric}) {
      uint8_t q[20];
      uint8_t zero[5];
      float scale[5];
      QuantizeRows(*kernel, {5, 4, rows.data(), 4, q, 4, scale, zero, mode},
                   nullptr);
      for (int i = 0; i < 20; ++i) {
        const double step = scale[i / 4];
        // The zero point is rounded too.
        EXPECT_NEAR((q[i] - zero[i / 4]) * step, rows[i], 1.001 * step)
            << kernel->name << " " << i;
      }
      EXPECT_EQ(scale[4], 0.0f);
    }
  }
}

TEST(QuantizeColumns, LargestWeightOfAChannelBecomes127) {
  const float w[] = {0.5f, -2.0f, 0.0f, -0.25f, 1.0f, 0.0f};  // [2,3]
  int8_t q[6];
  float scale[3];
  QuantizeColumns({3, 2, w, 3, false, q, scale});
  EXPECT_EQ(std::vector<int8_t>(q, q + 6),
            (std::vector<int8_t>{127, -127, 0, -64, 64, 0}));
  EXPECT_EQ(scale[0], 0.5f / 127);
  EXPECT_EQ(scale[1], 2.0f / 127);
  EXPECT_EQ(scale[2], 0.0f);
}

TEST(QuantizeColumns, TransposedWeightsGiveTheSameBytes) {
  const int64_t n = 7, k = 9;
  const std::vector<float> w = RandomFloats(n * k, 1);
  std::vector<float> t(w.size());
  for (int64_t p = 0; p < k; ++p) {
    for (int64_t j = 0; j < n; ++j) t[j * k + p] = w[p * n + j];
  }
  std::vector<int8_t> q(n * k), qt(n * k);
  std::vector<float> scale(n), scale_t(n);
  QuantizeColumns({n, k, w.data(), n, false, q.data(), scale.data()});
  QuantizeColumns({n, k, t.data(), k, true, qt.data(), scale_t.data()});
  EXPECT_EQ(scale, scale_t);
  for (int64_t i = 0; i < n * k; ++i) {
    EXPECT_EQ(q[i], qt[i % n * k + i / n]) << i;
  }
}

}  // namespace
}  // namespace stint

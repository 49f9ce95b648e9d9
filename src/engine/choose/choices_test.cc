// Every choice says what decided and what spoke against the others.

#include <gtest/gtest.h>

#include <numeric>

#include "engine/choose/bf16_choice.h"
#include "engine/choose/conv_choice.h"
#include "engine/choose/integer_choice.h"
#include "engine/choose/linear_choice.h"
#include "engine/choose/sparse_choice.h"
#include "kernels/gemm_s8/gemm_s8.h"

namespace stint {
namespace {

ConvF32Shape Layer3x3(int64_t channels, int64_t size) {
  ConvF32Shape s;
  s.in_channels = s.out_channels = channels;
  s.in_h = s.in_w = s.out_h = s.out_w = size;
  s.kernel_h = s.kernel_w = 3;
  s.pad_top = s.pad_left = 1;
  return s;
}

const KernelCandidate& Find(const std::vector<KernelCandidate>& candidates,
                            const std::string& start) {
  for (const KernelCandidate& candidate : candidates) {
    if (candidate.kernel.starts_with(start)) return candidate;
  }
  ADD_FAILURE() << "no candidate " << start;
  return candidates.front();
}

KernelSite Measured(const ConvF32Shape& shape,
                    std::vector<PrimitiveCost> costs) {
  auto table = std::make_shared<ConvCosts>();
  table->Set(ConvLayerName(shape, ImageLayout::kBlocked), std::move(costs));
  KernelSite site{Isa::kAvx2, 1};
  site.conv_costs = table;
  return site;
}

KernelChoice ExplainDense(const ConvF32Shape& shape, const KernelSite& site) {
  return ExplainConv(ChooseConv(shape, ImageLayout::kBlocked, site), shape,
                     site);
}

TEST(ExplainConv, SaysWhatEachPrimitiveTookAndWhichWasNotMeasured) {
  const ConvF32Shape shape = Layer3x3(64, 28);
  const KernelChoice choice = ExplainDense(
      shape, Measured(shape, {{"winograd4", 50}, {"direct", 100}}));
  EXPECT_EQ(choice.kernel, "winograd4_avx2");
  EXPECT_TRUE(choice.rule.starts_with("the fastest measured"));
  const auto& winograd = Find(choice.candidates, "winograd4");
  EXPECT_EQ(winograd.refused, "");
  EXPECT_EQ(winograd.us, 50);
  EXPECT_GT(winograd.weight_bytes, 64 * 64 * 9 * 4);
  const auto& direct = Find(choice.candidates, "direct");
  EXPECT_EQ(direct.refused, "measured slower");
  EXPECT_EQ(direct.us, 100);
  EXPECT_EQ(Find(choice.candidates, "im2col").refused,
            "not measured for this layer");
  EXPECT_EQ(Find(choice.candidates, "depthwise").refused,
            "does not compute this layer");
}

TEST(ExplainConv, SaysThatEqualsLoseByTheirWeights) {
  const ConvF32Shape shape = Layer3x3(64, 28);
  const KernelChoice choice = ExplainDense(
      shape, Measured(shape, {{"winograd4", 100}, {"direct", 101}}));
  EXPECT_EQ(choice.kernel, "direct_avx2");
  EXPECT_EQ(Find(choice.candidates, "winograd4").refused,
            "as fast, but its weights are larger");
}

TEST(ExplainConv, SaysWhichWeightsTheMemoryBudgetRulesOut) {
  const ConvF32Shape shape = Layer3x3(64, 28);
  KernelSite site = Measured(shape, {{"winograd4", 50}, {"direct", 100}});
  site.allowance = std::make_shared<WeightAllowance>();
  site.allowance->bytes = 1000;
  const ConvChoice choice = ChooseConv(shape, ImageLayout::kBlocked, site);
  site.allowance->bytes = 0;  // other layers have taken the rest since
  const KernelChoice explained = ExplainConv(choice, shape, site);
  EXPECT_EQ(explained.kernel, "direct_avx2");
  EXPECT_EQ(Find(explained.candidates, "winograd4").refused,
            "its larger weights are over the memory budget");
  EXPECT_EQ(Find(explained.candidates, "im2col").refused,
            "not measured for this layer");
}

TEST(ExplainConv, SaysThatAnotherPrimitiveIsAskedFor) {
  KernelSite site{Isa::kAvx2, 1};
  site.primitive = "im2col";
  const KernelChoice choice = ExplainDense(Layer3x3(64, 28), site);
  EXPECT_EQ(choice.rule, "the primitive that was asked for");
  EXPECT_EQ(Find(choice.candidates, "direct").refused,
            "another primitive is asked for");
}

// One weight in `every` is not 0.
std::vector<float> Thin(int64_t count, int64_t every) {
  std::vector<float> w(static_cast<size_t>(count), 0.0f);
  for (int64_t i = 0; i < count; ++i) {
    if ((i * 2654435761 >> 9) % every == 0) w[i] = 1;
  }
  return w;
}

SparseChoice SparseOn(const std::vector<float>& w, const KernelSite& site) {
  const ConvF32Shape shape = Layer3x3(32, 14);
  return ChooseSparse({shape, shape, ImageLayout::kBlocked, w.data()}, site);
}

TEST(ChooseSparse, SaysWhatWasCompared) {
  const KernelSite site{Isa::kAvx2, 1};
  const int64_t count = 32 * 32 * 9;
  const SparseChoice thin = SparseOn(Thin(count, 20), site);
  EXPECT_GT(thin.rows, 0);
  EXPECT_EQ(SparseCandidate(thin, site.isa).refused, "");
  EXPECT_LT(thin.sparse_cost, thin.dense_cost);
  EXPECT_TRUE(WhySparse(thin).starts_with(
      "skipping weights that are 0 is less work: "));
  const SparseChoice dense = SparseOn(Thin(count, 1), site);
  EXPECT_EQ(dense.rows, 0);
  EXPECT_EQ(SparseCandidate(dense, site.isa).refused, "too few weights are 0");
  KernelSite forced = site;
  forced.primitive = "direct";
  EXPECT_EQ(
      SparseCandidate(SparseOn(Thin(count, 20), forced), site.isa).refused,
      "another primitive is asked for");
}

TEST(ChooseSparse, SaysWhichTimesDecided) {
  const ConvF32Shape shape = Layer3x3(32, 14);
  const KernelSite site = Measured(
      shape,
      {{"direct", 20}, {"sparse_spatial1@10", 30}, {"sparse_spatial1@40", 60}});
  const SparseChoice choice = SparseOn(Thin(32 * 32 * 9, 10), site);
  EXPECT_EQ(choice.rows, 0);
  EXPECT_EQ(choice.dense_cost, 20);
  EXPECT_NEAR(choice.sparse_cost, 30, 2);
  EXPECT_TRUE(SparseCandidate(choice, site.isa)
                  .refused.starts_with("slower with these weights: "));
}

TEST(ChooseInteger, SaysWhyNeitherZerosNorWinogradAreMadeUseOf) {
  const ConvF32Shape shape = Layer3x3(64, 32);
  std::vector<int8_t> w(64 * 64 * 9);
  std::iota(w.begin(), w.end(), 1);
  KernelSite site{Isa::kVnni, 1, Precision::kInt8};
  site.allowance = std::make_shared<WeightAllowance>();
  const IntegerChoice choice = ChooseInteger({shape, w.data()}, site);
  EXPECT_STREQ(choice.kernel->name, "direct_vnni");
  const KernelChoice explained = ExplainInteger(choice, shape, site.isa);
  EXPECT_EQ(Find(explained.candidates, "sparse_vnni").refused,
            "too few groups of 4 weights are 0");
  EXPECT_EQ(Find(explained.candidates, "winograd4_vnni").refused,
            "its larger weights are over the memory budget");
  EXPECT_EQ(Find(explained.candidates, "tiles_amx").refused, "needs amx");
  EXPECT_EQ(Find(explained.candidates, "direct_vnni8").refused,
            "does not compute this layer");
}

TEST(ChooseInteger, TakesWhatWinogradNeedsFromTheAllowance) {
  const ConvF32Shape shape = Layer3x3(64, 32);
  const std::vector<int8_t> w(64 * 64 * 9, 1);
  KernelSite site{Isa::kVnni, 1, Precision::kInt8};
  site.allowance = std::make_shared<WeightAllowance>();
  site.allowance->bytes = 10'000'000;
  const IntegerChoice choice = ChooseInteger({shape, w.data()}, site);
  EXPECT_STREQ(choice.kernel->name, "winograd4_vnni");
  EXPECT_LT(site.allowance->bytes, 10'000'000);
}

TEST(ExplainBf16, SaysWhatProductsOfBf16Need) {
  const ConvF32Shape shape = Layer3x3(64, 28);
  const ConvForms forms{ConvForm::kBlocked, ConvForm::kNone,
                        ConvForm::kBlocked};
  const KernelChoice choice = ExplainBf16(
      ChooseBf16(shape, forms, Isa::kAvx512), shape, forms, Isa::kAvx512);
  EXPECT_TRUE(choice.kernel.starts_with("widened_")) << choice.kernel;
  EXPECT_EQ(Find(choice.candidates, "bf16_tiles").refused, "needs bf16");
}

KernelChoice LinearOn(const KernelSite& site, const std::vector<float>& w,
                      int64_t k) {
  const int64_t n = std::ssize(w) / k;
  return ExplainLinear(ChooseLinear({k, n, w.data(), n, false}, site));
}

TEST(ChooseLinear, SaysWhichPrecisionIsAskedFor) {
  const KernelSite site{Isa::kAvx2, 1, Precision::kInt8};
  const KernelChoice choice = LinearOn(site, Thin(64 * 64, 20), 64);
  EXPECT_EQ(choice.kernel, "gemm_s8_avx2_4x16");
  EXPECT_EQ(Find(choice.candidates, "gemm_f32_avx2").refused,
            "precision int8 is asked for");
  EXPECT_EQ(Find(choice.candidates, "sparse").refused,
            "precision int8 is asked for");
  EXPECT_EQ(Find(choice.candidates, "gemm_s8_vnni").refused, "needs vnni");
}

TEST(ChooseLinear, SkipsZerosInFloat32AndSaysSo) {
  const KernelSite site{Isa::kAvx2, 1};
  const KernelChoice choice = LinearOn(site, Thin(64 * 64, 20), 64);
  EXPECT_EQ(choice.kernel, "sparse_avx2");
  EXPECT_EQ(Find(choice.candidates, "gemm_f32_avx2").refused, choice.rule);
  const KernelChoice dense = LinearOn(site, Thin(64 * 64, 1), 64);
  EXPECT_EQ(dense.kernel, "gemm_f32_avx2_6x16");
  EXPECT_EQ(Find(dense.candidates, "sparse").refused, "too few weights are 0");
}

TEST(ChooseLinear, SumsOfTooManyProductsStayInFloat32) {
  const int64_t k = kGemmS8MaxK + 1;
  const KernelSite site{Isa::kAvx2, 1, Precision::kInt8};
  const KernelChoice choice = LinearOn(site, Thin(k, 1), k);
  EXPECT_EQ(choice.kernel, "gemm_f32_avx2_6x16");
  EXPECT_EQ(choice.rule, "sums of so many products do not fit 32 bits");
}

}  // namespace
}  // namespace stint

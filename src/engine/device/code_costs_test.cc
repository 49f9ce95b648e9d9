#include "engine/device/code_costs.h"

#include <gtest/gtest.h>

#include "core/platform/temporary_folder.h"
#include "engine/device/code_cost_file.h"

namespace stint {
namespace {

// Two matrices; ns are bits * 100 * (rows + 1), the second twice as slow for
// each weight.
std::string Text() {
  std::string text;
  for (const auto& [size, ns] : {std::pair{"384 384", 100}, {"768 768", 800}}) {
    for (int bits = 2; bits <= 8; ++bits) {
      text += size + (" " + std::to_string(bits));
      for (int rows : {1, 8, 64}) {
        text += " " + std::to_string(rows) + " " +
                std::to_string(bits * ns * (rows + 1));
      }
      text += "\n";
    }
  }
  return text;
}

TEST(CodeCosts, TextGoesInAndOut) {
  const auto costs = CodeCosts::Parse(Text());
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  EXPECT_EQ(costs->matrices().size(), 2u);
  EXPECT_EQ(costs->ToText(), Text());
}

TEST(CodeCosts, AreExactWhereMeasuredAndStraightBetween) {
  const CodeCosts costs = CodeCosts::Parse(Text()).value();
  EXPECT_DOUBLE_EQ(costs.LinearNs(1, 384, 384, 2), 400);
  EXPECT_DOUBLE_EQ(costs.LinearNs(8, 384, 384, 5), 4500);
  EXPECT_DOUBLE_EQ(costs.LinearNs(64, 768, 768, 8), 416000);
  EXPECT_DOUBLE_EQ(costs.LinearNs(36, 384, 384, 3), 300 * 37);
  // Beyond the last as between the last two.
  EXPECT_DOUBLE_EQ(costs.LinearNs(100, 384, 384, 3), 300 * 101);
}

TEST(CodeCosts, GoWithTheWeightsOfTheMatrixMostAlike) {
  const CodeCosts costs = CodeCosts::Parse(Text()).value();
  EXPECT_DOUBLE_EQ(costs.LinearNs(1, 384, 192, 2), 200);
  EXPECT_DOUBLE_EQ(costs.LinearNs(1, 1536, 768, 2), 6400);
}

TEST(CodeCosts, NeverFallWithRowsOrBits) {
  for (const CodeCosts& costs :
       {CodeCosts::Parse(Text()).value(), CodeCosts::Assumed(Isa::kAvx2, 2),
        CodeCosts::Assumed(Isa::kAmx, 1)}) {
    for (int bits = 2; bits <= 8; ++bits) {
      double before = 0;
      for (int64_t rows = 1; rows < 300; ++rows) {
        const double ns = costs.LinearNs(rows, 500, 700, bits);
        EXPECT_GE(ns, before);
        before = ns;
        if (bits > 2) {
          EXPECT_GE(ns, costs.LinearNs(rows, 500, 700, bits - 1));
        }
      }
    }
  }
}

TEST(CodeCosts, AssumedOnesFallWithThreadsAndBetterInstructions) {
  const auto ns = [](Isa isa, int threads) {
    return CodeCosts::Assumed(isa, threads).LinearNs(128, 384, 1536, 4);
  };
  EXPECT_LT(ns(Isa::kVnni, 2), ns(Isa::kVnni, 1));
  EXPECT_LT(ns(Isa::kAmx, 1), ns(Isa::kVnni, 1));
  EXPECT_LT(ns(Isa::kVnni, 1), ns(Isa::kAvx512, 1));
  EXPECT_LT(ns(Isa::kAvx512, 1), ns(Isa::kAvx2, 1));
  EXPECT_LT(ns(Isa::kAvx2, 1), ns(Isa::kBaseline, 1));
}

TEST(CodeCosts, NamesALineThatIsWrong) {
  const std::string good = Text();
  for (const char* line :
       {"", "384", "1 1 9 1 1", "1 1 1 1 1", "0 1 2 1 1", "1 1 2", "1 1 2 1",
        "1 1 2 1 0", "1 1 2 1 nan", "1 1 2 1 5 1 6", "1 1 2 1 5 2 4",
        "1 1 2 1 x", "1 1 2 0 1", "384 384 2 1 1"}) {
    const auto costs = CodeCosts::Parse(good + line + "\n");
    ASSERT_FALSE(costs.ok()) << line;
    EXPECT_EQ(costs.status().code(), StatusCode::kDamaged);
    EXPECT_NE(costs.status().message().find("line 15"), std::string::npos)
        << costs.status().message();
  }
}

TEST(CodeCosts, RefusesTextWithMissingLines) {
  EXPECT_FALSE(CodeCosts::Parse("").ok());
  EXPECT_FALSE(CodeCosts::Parse("384 384 2 1 5\n").ok());
}

TEST(CodeCostFile, IsKeptPerIsaAndThreadsAndAssumedWithout) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  const CodeCosts costs = CodeCosts::Parse(Text()).value();
  ASSERT_TRUE(SaveCodeCosts(folder.path(), Isa::kAvx2, 2, costs).ok());
  const auto loaded = LoadCodeCosts(folder.path(), Isa::kAvx2, 2);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ((*loaded)->ToText(), Text());
  EXPECT_EQ(CodeCostsFor(folder.path(), Isa::kAvx2, 2)->ToText(), Text());
  EXPECT_EQ(LoadCodeCosts(folder.path(), Isa::kAvx2, 1).status().code(),
            StatusCode::kNotFound);
  for (const std::string& where : {folder.path(), std::string()}) {
    EXPECT_EQ(CodeCostsFor(where, Isa::kAvx2, 1)->ToText(),
              CodeCosts::Assumed(Isa::kAvx2, 1).ToText());
  }
}

}  // namespace
}  // namespace stint

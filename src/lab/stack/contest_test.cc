#include "lab/stack/contest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "lab/stack/find_flips.h"

namespace stint {
namespace {

Candidate Of(const std::string& value, std::vector<double> times) {
  Candidate candidate{{value}, {}};
  for (size_t i = 0; i < times.size(); ++i) {
    candidate.times[static_cast<int>(i)] = times[i];
  }
  return candidate;
}

std::vector<double> Same(size_t count, double value) {
  return std::vector<double>(count, value);
}

TEST(Judge, TellsAClearWinnerAfterTheFirstLook) {
  const auto rounds = static_cast<size_t>(kTimingLooks[0]);
  const auto result = Judge({Of("a", Same(rounds, 3)), Of("b", Same(rounds, 2)),
                             Of("c", Same(rounds, 2.5))});
  ASSERT_EQ(result.verdict, Verdict::kWon);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(result.lead.value, 1.25, 1e-12);
}

TEST(Judge, OneRoundLessTellsNothing) {
  const auto rounds = static_cast<size_t>(kTimingLooks[0]) - 1;
  const auto result =
      Judge({Of("a", Same(rounds, 3)), Of("b", Same(rounds, 1))});
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_EQ(result.contenders, (std::vector<size_t>{0, 1}));
}

TEST(Judge, LeadsThatAreNotClearTie) {
  const auto result = Judge({Of("a", Same(16, 1.12)), Of("b", Same(16, 1))});
  EXPECT_EQ(result.verdict, Verdict::kTied);
}

TEST(Judge, OneThatIsBeatenIsNoContender) {
  auto a = Same(16, 1), b = Same(16, 1);
  for (size_t i = 0; i < b.size(); i += 2) b[i] = 1.2;
  const auto result = Judge({Of("a", a), Of("b", b), Of("c", Same(16, 9))});
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_EQ(result.contenders, (std::vector<size_t>{0, 1}));
}

TEST(Judge, ComparesInTheRoundsThatBothHave) {
  // The machine was twice as slow in the rounds of b alone.
  Candidate a = Of("a", Same(16, 1)), b = Of("b", Same(16, 1.2));
  for (int round = 16; round < 40; ++round) b.times[round] = 0.5;
  EXPECT_EQ(Judge({a, b}).verdict, Verdict::kWon);
  Candidate c{{"c"}, {{99, 1}}};
  EXPECT_EQ(Judge({a, c}).verdict, Verdict::kUndecided);
}

TEST(Candidate, IsNamedByAllItsValues) {
  const Candidate both{{"direct", "im2col"}, {}};
  EXPECT_EQ(both.Name(), "direct=im2col");
  EXPECT_TRUE(both.SharesValue({{"im2col"}, {}}));
  EXPECT_FALSE(both.SharesValue({{"sparse"}, {}}));
}

// A machine that is not idle: slow drift over rounds and within one, spread
// with heavy tails, and others that take up to twice the time now and then.
class NoisyMachine {
 public:
  explicit NoisyMachine(uint64_t seed) : random_(seed) {}

  double Time(int round, double ms) {
    const double drift = 1 + 0.3 * std::sin(0.4 * round + phase_);
    const double spread = std::tan(3.0 * (random_.NextDouble() - 0.5));
    const double contended =
        random_.NextDouble() < 0.2 ? 1 + random_.NextDouble() : 1;
    return ms * drift * std::exp(0.03 * spread) * contended;
  }

 private:
  Random random_;
  double phase_ = random_.NextDouble() * 6;
};

// Times rows whose true time is in `true_ms`, as TimeContests does.
void RunRounds(const std::vector<double>& true_ms, uint64_t seed,
               StackReport* report) {
  NoisyMachine machine(seed);
  int round = 2;
  for (const int look : kTimingLooks) {
    const bool first = look == kTimingLooks[0];
    StackReport so_far = *report;
    AnalyzeStack(&so_far);
    const std::vector<size_t> rows = RowsToTime(so_far, first);
    for (; round <= 1 + look; ++round) {
      for (const size_t row : rows) {
        report->rows[row].times[round] = machine.Time(round, true_ms[row]);
      }
    }
  }
  report->timing_rounds = round - 2;
  AnalyzeStack(report);
}

// Two computes x 4 compressions x 3 primitives x 3 codes: 72 points, 60
// contests. `ms` tells the true time of each.
StackReport MakeReport(double (*ms)(const StackRow&),
                       std::vector<double>* true_ms) {
  StackReport report;
  for (const char* compute : {"all", "avx2-1thread"}) {
    for (const char* compression : {"none", "fp16", "channel:50%", "int8"}) {
      for (const char* primitive : {"direct", "im2col", "winograd4"}) {
        for (const char* code : {"untuned", "default", "tuned"}) {
          StackRow row;
          row.setting = {{"model", "m"},
                         {"compute", compute},
                         {"compression", compression},
                         {"primitive", primitive},
                         {"code", code}};
          row.status = "ok";
          row.timed_row = report.rows.size();
          row.figures["value"] = 0.9;
          true_ms->push_back(ms(row));
          report.rows.push_back(std::move(row));
        }
      }
    }
  }
  return report;
}

TEST(FindFlips, OfAStudyWithoutADifferenceNoneAreTold) {
  constexpr int kStudies = 100;
  std::vector<double> true_ms;
  const StackReport fresh =
      MakeReport([](const StackRow&) { return 1.0; }, &true_ms);
  int64_t studies_with_flips = 0, contests = 0, winners = 0;
  for (uint64_t seed = 1; seed <= kStudies; ++seed) {
    StackReport report = fresh;
    RunRounds(true_ms, seed, &report);
    studies_with_flips += report.flips.empty() ? 0 : 1;
    contests += report.contests;
    winners += report.contests - report.ties - report.undecided;
  }
  EXPECT_EQ(contests, 66 * kStudies);
  EXPECT_EQ(studies_with_flips, 0);
  EXPECT_LE(winners, contests / 1000);
}

TEST(FindFlips, ThoseOfTwiceTheTimeAreAlwaysTold) {
  std::vector<double> true_ms;
  const StackReport fresh = MakeReport(
      [](const StackRow& row) {
        const bool int8 = row.Value("compression") == "int8";
        const bool winograd = row.Value("primitive") == "winograd4";
        return int8 == winograd ? 2.0 : 1.0;
      },
      &true_ms);
  // In int8, what is not Winograd runs by the same kernels.
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    StackReport report = fresh;
    for (StackRow& row : report.rows) {
      if (row.Value("compression") == "int8" &&
          row.Value("primitive") != "winograd4") {
        row.kernels = "dense " + row.Value("code");
      }
    }
    RunRounds(true_ms, seed, &report);
    // From each of three compressions to int8, by compute and code.
    const auto told = std::count_if(
        report.flips.begin(), report.flips.end(), [](const StackFlip& flip) {
          return flip.axis == "primitive" && flip.other == "compression" &&
                 flip.winner_from == "winograd4" && flip.to == "int8" &&
                 flip.winner_to == "direct=im2col";
        });
    EXPECT_EQ(told, 3 * 2 * 3) << seed;
    for (const StackFlip& flip : report.flips) {
      EXPECT_TRUE(flip.lead_from.low > 1 && flip.lead_to.low > 1);
    }
  }
}

}  // namespace
}  // namespace stint

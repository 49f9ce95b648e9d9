#include "lab/study/run_study.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "core/base/random.h"
#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

class RunStudyTest : public testing::Test {
 protected:
  RunStudyTest() {
    study_.name = "test";
    study_.definition = "{}";
    study_.conditions = CrossAxes({{"batch", {"1", "8"}}});
    study_.treatments = CrossAxes({{"runtime", {"a", "b", "c"}}});
    study_.rounds = 3;
  }

  StudyDatabase Open() { return StudyDatabase::Open(path_).value(); }

  Result<StudyCount> Run(const PointRunner& run) {
    StudyDatabase database = Open();
    return RunStudy(study_, &database, run, [](int64_t, int64_t) {});
  }

  // SQL past the class under test.
  void ExecuteRaw(const char* sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(database);
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  const std::string path_ = folder_.path() + "/study.db";
  Study study_;
};

Outcome Measured(double ms) {
  Outcome outcome;
  outcome.samples["run_ms"] = {ms, ms + 1};
  return outcome;
}

TEST_F(RunStudyTest, RunsEveryPointAndKeepsWhatItGave) {
  const auto count = Run([](const Point& point) {
    Outcome outcome = Measured(point.round);
    outcome.facts["version"] = "1.2";
    outcome.files["y.npy"] = std::string("a\0b", 3);
    return outcome;
  });
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(count->done, 24);
  StudyDatabase database = Open();
  const auto found =
      database.Find(*database.StudyId(study_),
                    {2, study_.conditions[1], study_.treatments[0]});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->samples.at("run_ms"), (std::vector<double>{2, 3}));
  EXPECT_EQ(found->facts.at("version"), "1.2");
  EXPECT_EQ(found->files.at("y.npy"), std::string("a\0b", 3));
}

TEST_F(RunStudyTest, FinishedPointsAreNotRunAgain) {
  const auto run = [](const Point&) { return Measured(1); };
  ASSERT_TRUE(Run(run).ok());
  const auto again = Run([](const Point& point) -> Result<Outcome> {
    return InternalError("ran again: " + point.Key());
  });
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->done, 24);
}

TEST_F(RunStudyTest, GoesOnAfterSigkillWithoutLossOrDouble) {
  testing::FLAGS_gtest_death_test_style = "fast";
  int total = 0;
  for (int kill_after : {1, 5, 9}) {
    EXPECT_EXIT(
        {
          int runs = 0;
          (void)Run([&](const Point&) {
            if (runs++ == kill_after) std::raise(SIGKILL);
            return Measured(1);
          });
        },
        testing::KilledBySignal(SIGKILL), "");
    total += kill_after;
  }
  {
    StudyDatabase database = Open();
    EXPECT_EQ(*database.CountFinished(*database.StudyId(study_)), total);
  }
  int rest = 0;
  const auto count = Run([&](const Point&) {
    ++rest;
    return Measured(1);
  });
  EXPECT_EQ(count->done, 24);
  EXPECT_EQ(rest, 24 - total);
}

TEST_F(RunStudyTest, KillsAtRandomMomentsLoseAndDoubleNothing) {
  study_.rounds = 40;
  const int64_t points = 6 * 41;
  Random random(1);
  for (int kill = 0; kill < 20; ++kill) {
    const auto after_us = std::chrono::microseconds(random.NextInt(12000));
    EXPECT_EXIT(
        {
          std::thread([&] {
            std::this_thread::sleep_for(after_us);
            std::raise(SIGKILL);
          }).detach();
          (void)Run([&](const Point&) { return Measured(1); });
          std::this_thread::sleep_for(std::chrono::seconds(10));
        },
        testing::KilledBySignal(SIGKILL), "");
  }
  const auto count = Run([&](const Point&) { return Measured(1); });
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(count->done, points);
  StudyDatabase database = Open();
  EXPECT_EQ(*database.CountFinished(*database.StudyId(study_)), points);
}

TEST_F(RunStudyTest, OutcomesSayWhatDisturbedThem) {
  ASSERT_TRUE(Run([](const Point&) { return Measured(1); }).ok());
  StudyDatabase database = Open();
  const auto found =
      database.Find(*database.StudyId(study_),
                    {1, study_.conditions[0], study_.treatments[0]});
  EXPECT_TRUE(found->Sample("steal_ms"));
  EXPECT_TRUE(found->Sample("throttled_ms"));
  EXPECT_FALSE(found->facts.at("kernel").empty());
}

TEST_F(RunStudyTest, FailureIsRecordedWithItsReasonAndTheStudyGoesOn) {
  int runs_of_b = 0;
  const auto count = Run([&](const Point& point) {
    if (ValueOf(point.treatment, "runtime") != "b") return Measured(1);
    ++runs_of_b;
    Outcome outcome;
    outcome.status = "crashed";
    outcome.reason = "SIGILL";
    return outcome;
  });
  EXPECT_EQ(count->done, 16);
  EXPECT_EQ(count->failed, 2);
  EXPECT_EQ(runs_of_b, 2);
  StudyDatabase database = Open();
  const auto found =
      database.Find(*database.StudyId(study_),
                    {0, study_.conditions[0], study_.treatments[1]});
  EXPECT_EQ(found->status, "crashed");
  EXPECT_EQ(found->reason, "SIGILL");
}

TEST_F(RunStudyTest, WhatFailedIsRunAgainThreeTimesAtMost) {
  study_.check_round = false;
  std::map<std::string, int> runs;
  const auto run = [&](const Point& point) {
    const std::string runtime = ValueOf(point.treatment, "runtime");
    ++runs[runtime];
    Outcome outcome = Measured(1);
    if (runtime == "b") outcome.status = "timeout";
    if (runtime == "c") outcome.status = "wrong";
    return outcome;
  };
  for (int i = 0; i < 5; ++i) {
    const auto count = Run(run);
    EXPECT_EQ(count->done, 6);
    EXPECT_EQ(count->failed, 12);
  }
  EXPECT_EQ(runs, (std::map<std::string, int>{{"a", 6}, {"b", 18}, {"c", 6}}));
}

TEST_F(RunStudyTest, WhatSucceedsTheSecondTimeTakesThePlaceOfTheFailure) {
  study_.check_round = false;
  Outcome missing;
  missing.status = "missing";
  missing.facts["why"] = "not installed";
  ASSERT_TRUE(Run([&](const Point&) { return missing; }).ok());
  EXPECT_EQ(Run([](const Point&) { return Measured(4); })->done, 18);
  StudyDatabase database = Open();
  const int64_t id = *database.StudyId(study_);
  const auto found =
      database.Find(id, {1, study_.conditions[0], study_.treatments[1]});
  EXPECT_EQ(found->status, "ok");
  EXPECT_EQ(found->samples.at("run_ms"), (std::vector<double>{4, 5}));
  EXPECT_FALSE(found->facts.contains("why"));
  EXPECT_EQ(*database.CountFinished(id), 18);
}

TEST_F(RunStudyTest, PointsSayWhichProgramRanThem) {
  study_.rounds = 1;
  study_.program = "one";
  ASSERT_TRUE(Run([](const Point&) { return Measured(1); }).ok());
  study_.program = "two";
  study_.rounds = 2;
  ASSERT_TRUE(Run([](const Point&) { return Measured(1); }).ok());
  StudyDatabase database = Open();
  EXPECT_EQ(*database.FactValues(*database.StudyId(study_), kProgramFact),
            (std::vector<std::string>{"one", "two"}));
}

TEST_F(RunStudyTest, StudiesOfAnotherDefinitionAreKeptApart) {
  ASSERT_TRUE(Run([](const Point&) { return Measured(1); }).ok());
  study_.definition = "{\"threads\": 2}";
  int runs = 0;
  ASSERT_TRUE(Run([&](const Point&) {
                ++runs;
                return Measured(1);
              }).ok());
  EXPECT_EQ(runs, 24);
}

TEST_F(RunStudyTest, AFileThatIsNoDatabaseIsRefusedAndLeftAlone) {
  ASSERT_TRUE(WriteFileAtomically(path_, std::string(5000, 'x')).ok());
  const auto database = StudyDatabase::Open(path_);
  EXPECT_EQ(database.status().code(), StatusCode::kDamaged);
  EXPECT_NE(database.status().message().find(path_), std::string::npos);
  EXPECT_EQ(*ReadFile(path_), std::string(5000, 'x'));
}

TEST_F(RunStudyTest, ANewerSchemaIsRefusedWithBothVersions) {
  ASSERT_TRUE(StudyDatabase::Open(path_).ok());
  ExecuteRaw("PRAGMA user_version = 99");
  const Status status = StudyDatabase::Open(path_).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("99, expected 3, 2 or 1"), std::string::npos);
}

TEST_F(RunStudyTest, ADatabaseOfAnotherProgramIsRefused) {
  ExecuteRaw("CREATE TABLE cake (flavor TEXT)");
  EXPECT_EQ(StudyDatabase::Open(path_).status().code(), StatusCode::kDamaged);
}

TEST_F(RunStudyTest, AWriteThatFailsEndsTheStudyAndKeepsWhatIsThere) {
  int runs = 0;
  const auto count = Run([&](const Point&) {
    if (++runs == 4)
      ExecuteRaw(
          "CREATE TRIGGER full BEFORE INSERT ON sample "
          "BEGIN SELECT RAISE(ABORT, 'no more room'); "
          "END");
    return Measured(1);
  });
  EXPECT_EQ(count.status().code(), StatusCode::kIo);
  EXPECT_NE(count.status().message().find("no more room"), std::string::npos);
  ExecuteRaw("DROP TRIGGER full");
  StudyDatabase database = Open();
  EXPECT_EQ(*database.CountFinished(*database.StudyId(study_)), 3);
}

TEST_F(RunStudyTest, AFolderThatIsMissingIsNamed) {
  const auto database = StudyDatabase::Open(folder_.path() + "/no/study.db");
  EXPECT_FALSE(database.ok());
  EXPECT_NE(database.status().message().find("/no/study.db"),
            std::string::npos);
}

}  // namespace
}  // namespace stint

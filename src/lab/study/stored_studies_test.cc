#include "lab/study/stored_studies.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/study/run_study.h"
#include "lab/study/study_schema.h"

namespace stint {
namespace {

// Two models at batches that sort by number, not by text, and a runtime that
// fails on one of them.
class StoredStudiesTest : public testing::Test {
 protected:
  StoredStudiesTest() {
    study_.name = "made-up";
    study_.definition = "{}";
    study_.seed = 7;
    study_.rounds = 2;
    study_.conditions =
        CrossAxes({{"model", {"z | y", "a=b c"}}, {"batch", {"2", "16"}}});
    study_.treatments =
        CrossAxes({{"runtime", {"peer", "ours"}}, {"entry", {"1"}}});
  }

  void Run(const std::string& status = "crashed") {
    auto database = StudyDatabase::Open(path_).value();
    const auto run = [&](const Point& point) -> Result<Outcome> {
      Outcome outcome;
      outcome.facts["version"] = "3.1";
      outcome.samples["involuntary_switches"] = {2};
      if (ValueOf(point.treatment, "runtime") == "peer" &&
          ValueOf(point.condition, "batch") == "16") {
        outcome.status = status;
        outcome.reason = "SIGILL";
      }
      return outcome;
    };
    EXPECT_TRUE(RunStudy(study_, &database, run, [](int64_t, int64_t) {}).ok());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::string path_ = folder_.path() + "/a study?.db";
  Study study_;
};

TEST_F(StoredStudiesTest, ComeBackAsTheyWere) {
  Run();
  auto copy = StudyDatabase::OpenCopy(path_).value();
  const auto studies = ReadStudies(&copy).value();
  ASSERT_EQ(studies.size(), 1u);
  const StoredStudy& stored = studies[0];
  EXPECT_EQ(stored.study.conditions, study_.conditions);
  EXPECT_EQ(stored.study.treatments, study_.treatments);
  EXPECT_EQ(stored.study.rounds, 2);
  EXPECT_EQ(stored.study.seed, 7u);
  EXPECT_FALSE(stored.machine.empty());
  EXPECT_EQ(stored.versions.at("ours"), std::vector<std::string>{"3.1"});
  EXPECT_EQ(stored.facts.at("command").size(), 1u);
  EXPECT_EQ(stored.moments.size(), static_cast<size_t>(stored.points));
  EXPECT_EQ(stored.moments[0].involuntary_switches, 2);
}

TEST_F(StoredStudiesTest, CountPointsAndFailures) {
  Run();
  auto copy = StudyDatabase::OpenCopy(path_).value();
  const StoredStudy stored = ReadStudies(&copy).value()[0];
  // Four conditions, two treatments, three rounds; two failed checks have no
  // later rounds.
  EXPECT_EQ(stored.points, 24 - 4);
  EXPECT_EQ(stored.failed, 2);
  EXPECT_EQ(stored.done, 18);
  ASSERT_EQ(stored.failures.size(), 2u);
  EXPECT_EQ(stored.failures[0].reason, "SIGILL");
}

TEST_F(StoredStudiesTest, WhatIsUnsupportedIsListedAndNoFailure) {
  Run("unsupported");
  auto copy = StudyDatabase::OpenCopy(path_).value();
  const StoredStudy stored = ReadStudies(&copy).value()[0];
  EXPECT_EQ(stored.failed, 0);
  EXPECT_EQ(stored.done, 20);
  ASSERT_EQ(stored.failures.size(), 2u);
  EXPECT_EQ(stored.failures[0].status, "unsupported");
}

TEST_F(StoredStudiesTest, WithoutAFirstRoundAreSortedByNumber) {
  study_.check_round = false;
  study_.conditions = CrossAxes({{"memory", {"16MB", "8MB"}}});
  Run();
  auto copy = StudyDatabase::OpenCopy(path_).value();
  const StoredStudy stored = ReadStudies(&copy).value()[0];
  ASSERT_EQ(stored.study.conditions.size(), 2u);
  EXPECT_EQ(ToString(stored.study.conditions[0]), "memory=8MB");
}

TEST_F(StoredStudiesTest, ReadingLeavesTheFileAndItsFolderAsTheyWere) {
  Run();
  const std::string before = ReadFile(path_).value();
  {
    auto copy = StudyDatabase::OpenCopy(path_).value();
    EXPECT_TRUE(ReadStudies(&copy).ok());
    EXPECT_TRUE(copy.UseMachine("another").ok());
  }
  EXPECT_EQ(ReadFile(path_).value(), before);
  EXPECT_EQ(ListDirectory(folder_.path()).value().size(), 1u);
}

TEST_F(StoredStudiesTest, OfAnOlderSchemaAreReadAndNotChanged) {
  Run();
  {
    auto database = StudyDatabase::Open(path_).value();
    ASSERT_TRUE(ExecuteSql(database.handle(),
                           "PRAGMA legacy_alter_table = ON;"
                           "ALTER TABLE point RENAME TO newer;"
                           "CREATE TABLE point (id INTEGER PRIMARY KEY, study, "
                           "key, round, status, reason, finished);"
                           "INSERT INTO point SELECT id, study, key, round, "
                           "status, reason, finished FROM newer;"
                           "DROP TABLE newer; DROP TABLE machine;"
                           "PRAGMA user_version = 1")
                    .ok());
  }
  const std::string before = ReadFile(path_).value();
  auto copy = StudyDatabase::OpenCopy(path_).value();
  const auto studies = ReadStudies(&copy).value();
  ASSERT_EQ(studies.size(), 1u);
  EXPECT_EQ(studies[0].machine, "");
  EXPECT_EQ(studies[0].points, 20);
  EXPECT_EQ(ReadFile(path_).value(), before);
}

TEST_F(StoredStudiesTest, OfAKilledWriterAreReadWithTheirLog) {
  // Kept open: what was written is in the log beside the file.
  auto writer = StudyDatabase::Open(path_).value();
  const int64_t id = writer.StudyId(study_).value();
  ASSERT_TRUE(writer
                  .Record(id, {0, study_.conditions[0], study_.treatments[0]},
                          Outcome())
                  .ok());
  ASSERT_TRUE(FileExists(path_ + "-wal"));
  auto copy = StudyDatabase::OpenCopy(path_).value();
  EXPECT_EQ(ReadStudies(&copy).value()[0].points, 1);
}

StatusCode CodeOf(const std::string& path) {
  return StudyDatabase::OpenCopy(path).status().code();
}

TEST_F(StoredStudiesTest, BadFilesAreRefused) {
  EXPECT_EQ(CodeOf(folder_.path() + "/none.db"), StatusCode::kNotFound);
  EXPECT_FALSE(FileExists(folder_.path() + "/none.db"));
  const std::string bad = folder_.path() + "/bad.db";
  ASSERT_TRUE(WriteFileAtomically(bad, "").ok());
  EXPECT_EQ(CodeOf(bad), StatusCode::kDamaged);
  ASSERT_TRUE(WriteFileAtomically(bad, std::string(5000, 'x')).ok());
  EXPECT_EQ(CodeOf(bad), StatusCode::kDamaged);
  Run();
  const std::string whole = ReadFile(path_).value();
  ASSERT_TRUE(WriteFileAtomically(bad, whole.substr(0, whole.size() / 2)).ok());
  EXPECT_EQ(CodeOf(bad), StatusCode::kDamaged);
  ASSERT_TRUE(ExecuteSql(StudyDatabase::Open(path_).value().handle(),
                         "PRAGMA user_version = 9")
                  .ok());
  EXPECT_EQ(CodeOf(path_), StatusCode::kUnsupported);
}

TEST_F(StoredStudiesTest, AKeyThatContradictsItsSettingsIsDamage) {
  Run();
  ASSERT_TRUE(ExecuteSql(StudyDatabase::Open(path_).value().handle(),
                         "UPDATE setting SET value = '3' WHERE value = '2'")
                  .ok());
  auto copy = StudyDatabase::OpenCopy(path_).value();
  EXPECT_EQ(ReadStudies(&copy).status().code(), StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint

#include "lab/study/merge_studies.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "core/platform/file.h"
#include "core/platform/temporary_folder.h"
#include "lab/study/run_study.h"
#include "lab/study/stored_studies.h"

namespace stint {
namespace {

class MergeTest : public testing::Test {
 protected:
  MergeTest() {
    study_.name = "test";
    study_.definition = "{}";
    study_.conditions = CrossAxes({{"batch", {"1", "2", "4", "8"}}});
    study_.treatments = CrossAxes({{"runtime", {"a", "b"}}});
    study_.check_round = false;
    study_.rounds = 2;
  }

  std::string Path(const std::string& name) {
    return JoinPath(folder_.path(), name);
  }

  // Runs a study on a machine of that name.
  void Run(const Study& study, const std::string& file,
           const std::string& machine, double ms,
           const std::string& host = "") {
    StudyDatabase database = StudyDatabase::Open(Path(file)).value();
    ASSERT_TRUE(database.UseMachine(machine, host).ok());
    const auto run = [ms](const Point&) {
      Outcome outcome;
      outcome.samples["run_ms"] = {ms, ms};
      outcome.facts["version"] = "1";
      outcome.files["y"] = std::string("a\0b", 3);
      return outcome;
    };
    ASSERT_TRUE(RunStudy(study, &database, run, [](int64_t, int64_t) {}).ok());
  }

  double RunMs(StudyDatabase* database, const std::string& machine,
               const std::string& host = "") {
    EXPECT_TRUE(database->UseMachine(machine, host).ok());
    const auto found =
        database->Find(*database->StudyId(study_),
                       {1, study_.conditions[0], study_.treatments[0]});
    return found.ok() ? found->samples.at("run_ms")[1] : -1;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  Study study_;
};

TEST_F(MergeTest, ShardsMakeTheWhole) {
  Run(TakeShard(study_, 1, 2), "a.db", "one kind", 1);
  Run(TakeShard(study_, 2, 2), "b.db", "one kind", 1);
  StudyDatabase into = StudyDatabase::Open(Path("a.db")).value();
  const auto count = MergeStudies(Path("b.db"), &into);
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(count->added, 8);
  ASSERT_TRUE(into.UseMachine("one kind").ok());
  const auto run = [](const Point& point) -> Result<Outcome> {
    return InternalError("not there: " + point.Key());
  };
  const auto whole = RunStudy(study_, &into, run, [](int64_t, int64_t) {});
  ASSERT_TRUE(whole.ok()) << whole.status().message();
  EXPECT_EQ(whole->done, 16);
}

TEST_F(MergeTest, OtherMachinesStayApart) {
  Run(study_, "a.db", "small", 5);
  Run(study_, "b.db", "large", 2);
  StudyDatabase into = StudyDatabase::Open(Path("a.db")).value();
  EXPECT_EQ(MergeStudies(Path("b.db"), &into)->added, 16);
  EXPECT_EQ(RunMs(&into, "small"), 5);
  EXPECT_EQ(RunMs(&into, "large"), 2);
  EXPECT_EQ(*into.Machines(*into.StudyId(study_)),
            (std::vector<std::string>{"large", "small"}));
}

TEST_F(MergeTest, TwoMachinesOfAKindKeepTheirPoints) {
  Run(study_, "a.db", "small", 5, "first");
  Run(study_, "b.db", "small", 2, "second");
  StudyDatabase into = StudyDatabase::Open(Path("a.db")).value();
  EXPECT_EQ(MergeStudies(Path("b.db"), &into)->added, 16);
  EXPECT_EQ(RunMs(&into, "small", "first"), 5);
  EXPECT_EQ(RunMs(&into, "small", "second"), 2);
  EXPECT_EQ(RunMs(&into, "small", "third"), -1);
  const auto studies = ReadStudies(&into).value();
  ASSERT_EQ(studies.size(), 2u);
  EXPECT_EQ(studies[0].host + " " + studies[1].host, "first second");
  EXPECT_EQ(studies[0].points + studies[1].points, 32);
}

TEST_F(MergeTest, PointsOfAKindGoWithItsMachines) {
  Run(study_, "a.db", "small", 5);
  StudyDatabase database = StudyDatabase::Open(Path("a.db")).value();
  EXPECT_EQ(RunMs(&database, "small", "first"), 5);
  EXPECT_EQ(RunMs(&database, "large", "first"), -1);
}

TEST_F(MergeTest, PointsThatAreThereAreKept) {
  Run(study_, "a.db", "small", 5);
  Run(study_, "b.db", "small", 2);
  StudyDatabase into = StudyDatabase::Open(Path("a.db")).value();
  const auto count = MergeStudies(Path("b.db"), &into);
  EXPECT_EQ(count->added, 0);
  EXPECT_EQ(count->present, 16);
  EXPECT_EQ(RunMs(&into, "small"), 5);
}

TEST_F(MergeTest, AFileThatIsNoneIsNamedAndNothingChanges) {
  Run(study_, "a.db", "small", 5);
  StudyDatabase into = StudyDatabase::Open(Path("a.db")).value();
  EXPECT_EQ(MergeStudies(Path("no.db"), &into).status().message(),
            Path("no.db") + ": no such file");
  ASSERT_TRUE(WriteFileAtomically(Path("x.db"), std::string(5000, 'x')).ok());
  EXPECT_EQ(MergeStudies(Path("x.db"), &into).status().code(),
            StatusCode::kDamaged);
  EXPECT_EQ(*into.CountFinished(*into.StudyId(study_)), 16);
}

// The tables of version 1, with one point.
constexpr char kVersion1[] = R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL,
  seed INTEGER NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  UNIQUE (name, definition, seed));
CREATE TABLE point (
  id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study (id),
  key TEXT NOT NULL, round INTEGER NOT NULL, status TEXT NOT NULL,
  reason TEXT NOT NULL, finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  UNIQUE (study, key));
CREATE TABLE setting (
  point INTEGER NOT NULL REFERENCES point (id), axis TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY (point, axis)) WITHOUT ROWID;
CREATE TABLE sample (
  point INTEGER NOT NULL REFERENCES point (id), name TEXT NOT NULL,
  number INTEGER NOT NULL, value REAL NOT NULL,
  PRIMARY KEY (point, name, number)) WITHOUT ROWID;
CREATE TABLE fact (
  point INTEGER NOT NULL REFERENCES point (id), name TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY (point, name)) WITHOUT ROWID;
CREATE TABLE file (
  point INTEGER NOT NULL REFERENCES point (id), name TEXT NOT NULL,
  content BLOB NOT NULL, PRIMARY KEY (point, name)) WITHOUT ROWID;
INSERT INTO study (name, definition, seed) VALUES ('test', '{}', 1);
INSERT INTO point (study, key, round, status, reason)
  VALUES (1, 'batch=1 | runtime=a | round 1', 1, 'ok', '');
INSERT INTO sample VALUES (1, 'run_ms', 0, 7), (1, 'run_ms', 1, 9);
PRAGMA application_id = 1937010292;
PRAGMA user_version = 1;
)sql";

TEST_F(MergeTest, AFileOfVersionOneIsBroughtUpToDate) {
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(Path("old.db").c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, kVersion1, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  auto database = StudyDatabase::Open(Path("old.db"));
  ASSERT_TRUE(database.ok()) << database.status().message();
  // A point that does not say its machine counts on any.
  EXPECT_EQ(RunMs(&*database, "any"), 9);
  EXPECT_EQ(*database->Machines(1), (std::vector<std::string>{""}));
}

TEST_F(MergeTest, AFileOfVersionTwoIsBroughtUpToDate) {
  std::string sql = kVersion1;
  const auto replace = [&](const std::string& from, const std::string& to) {
    ASSERT_NE(sql.find(from), std::string::npos) << from;
    sql.replace(sql.find(from), from.size(), to);
  };
  replace("key TEXT NOT NULL, round",
          "machine INTEGER NOT NULL, key TEXT NOT "
          "NULL, round");
  replace("UNIQUE (study, key)", "UNIQUE (study, machine, key)");
  replace("INSERT INTO point (study,", "INSERT INTO point (machine, study,");
  replace("VALUES (1, 'batch", "VALUES (3, 1, 'batch");
  replace("user_version = 1", "user_version = 2");
  sql +=
      "CREATE TABLE machine (id INTEGER PRIMARY KEY, name TEXT NOT NULL "
      "UNIQUE); INSERT INTO machine VALUES (3, 'small');";
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(Path("old.db").c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(raw);
  auto database = StudyDatabase::Open(Path("old.db"));
  ASSERT_TRUE(database.ok()) << database.status().message();
  EXPECT_EQ(RunMs(&*database, "small"), 9);
  EXPECT_EQ(RunMs(&*database, "small", "this one"), 9);
  EXPECT_EQ(RunMs(&*database, "large"), -1);
}

}  // namespace
}  // namespace stint

#include "lab/study/study_database.h"

#include <sqlite3.h>

#include "lab/study/statement.h"

namespace stint {
namespace {

// "stnt": tells our files from other SQLite databases.
constexpr int64_t kApplicationId = 0x73746e74;
constexpr int64_t kSchemaVersion = 1;

constexpr char kSchema[] = R"sql(
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
)sql";

Result<int64_t> ReadNumber(sqlite3* database, const char* sql) {
  Statement statement(database, sql);
  STINT_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Int(0) : 0;
}

// Name and text pairs of a point, from `sql` with the point as its parameter.
Status ReadTexts(sqlite3* database, const char* sql, int64_t point,
                 std::map<std::string, std::string>* out) {
  Statement statement(database, sql);
  statement.Bind(point);
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return OkStatus();
    (*out)[statement.Text(0)] = statement.Text(1);
  }
}

Status InsertTexts(sqlite3* database, const char* sql, int64_t point,
                   const std::map<std::string, std::string>& texts) {
  Statement insert(database, sql);
  for (const auto& [name, text] : texts) {
    STINT_RETURN_IF_ERROR(insert.Bind(point).Bind(name).BindBlob(text).Run());
  }
  return OkStatus();
}

Status InsertSetting(sqlite3* database, int64_t point, const Setting& setting) {
  Statement insert(database, "INSERT INTO setting VALUES (?, ?, ?)");
  for (const auto& [axis, value] : setting) {
    STINT_RETURN_IF_ERROR(insert.Bind(point).Bind(axis).Bind(value).Run());
  }
  return OkStatus();
}

Status InsertSamples(sqlite3* database, int64_t point, const Outcome& outcome) {
  Statement insert(database, "INSERT INTO sample VALUES (?, ?, ?, ?)");
  for (const auto& [name, values] : outcome.samples) {
    for (size_t i = 0; i < values.size(); ++i) {
      STINT_RETURN_IF_ERROR(insert.Bind(point)
                                .Bind(name)
                                .Bind(static_cast<int64_t>(i))
                                .Bind(values[i])
                                .Run());
    }
  }
  return OkStatus();
}

}  // namespace

std::optional<double> Outcome::Sample(const std::string& name) const {
  const auto found = samples.find(name);
  if (found == samples.end() || found->second.empty()) return std::nullopt;
  return found->second[0];
}

void StudyDatabase::Closer::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Result<StudyDatabase> StudyDatabase::Open(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open(path.c_str(), &raw);
  StudyDatabase database(path, std::unique_ptr<sqlite3, Closer>(raw));
  if (code != SQLITE_OK) {
    return IoError(path + ": " + sqlite3_errmsg(raw));
  }
  // Several programs may write one file: each waits for the others.
  sqlite3_busy_timeout(raw, 10000);
  const Status prepared = database.Prepare();
  if (!prepared.ok()) return prepared.Annotate(path);
  return database;
}

Status StudyDatabase::Execute(const char* sql) {
  char* error = nullptr;
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, &error) ==
      SQLITE_OK) {
    return OkStatus();
  }
  const std::string message = error != nullptr ? error : "unknown error";
  sqlite3_free(error);
  return IoError(message);
}

Status StudyDatabase::Prepare() {
  sqlite3* database = database_.get();
  STINT_ASSIGN_OR_RETURN(
      const int64_t tables,
      ReadNumber(database, "SELECT count(*) FROM sqlite_master"));
  if (tables > 0) {
    STINT_ASSIGN_OR_RETURN(const int64_t id,
                           ReadNumber(database, "PRAGMA application_id"));
    STINT_ASSIGN_OR_RETURN(const int64_t version,
                           ReadNumber(database, "PRAGMA user_version"));
    if (id != kApplicationId) {
      return Damaged("a database, but not one of studies");
    }
    if (version != kSchemaVersion) {
      return Unsupported("schema version " + std::to_string(version) +
                         ", expected " + std::to_string(kSchemaVersion));
    }
    return OkStatus();
  }
  STINT_RETURN_IF_ERROR(Execute("PRAGMA journal_mode = WAL"));
  const std::string make =
      "BEGIN IMMEDIATE;" + std::string(kSchema) +
      "PRAGMA application_id = " + std::to_string(kApplicationId) +
      "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + "; COMMIT";
  return Execute(make.c_str());
}

Result<int64_t> StudyDatabase::StudyId(const Study& study) {
  const auto seed = static_cast<int64_t>(study.seed);
  Statement insert(database_.get(),
                   "INSERT OR IGNORE INTO study (name, definition, seed) "
                   "VALUES (?, ?, ?)");
  const Status inserted =
      insert.Bind(study.name).Bind(study.definition).Bind(seed).Run();
  if (!inserted.ok()) return inserted.Annotate(path_);
  Statement find(database_.get(),
                 "SELECT id FROM study WHERE name = ? AND definition = ? AND "
                 "seed = ?");
  const auto row =
      find.Bind(study.name).Bind(study.definition).Bind(seed).Step();
  if (!row.ok()) return row.status().Annotate(path_);
  return find.Int(0);
}

Result<int64_t> StudyDatabase::PointId(int64_t study_id, const Point& point) {
  Statement find(database_.get(),
                 "SELECT id FROM point WHERE study = ? AND key = ?");
  const auto row = find.Bind(study_id).Bind(point.Key()).Step();
  if (!row.ok()) return row.status().Annotate(path_);
  return *row ? find.Int(0) : 0;
}

Result<bool> StudyDatabase::IsFinished(int64_t study_id, const Point& point) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, PointId(study_id, point));
  return id != 0;
}

Status StudyDatabase::Record(int64_t study_id, const Point& point,
                             const Outcome& outcome) {
  Status status = Execute("BEGIN IMMEDIATE");
  if (status.ok()) status = InsertPoint(study_id, point, outcome);
  if (status.ok()) status = Execute("COMMIT");
  if (status.ok()) return status;
  const Status rolled_back = Execute("ROLLBACK");
  return status.Annotate(path_);
}

Status StudyDatabase::InsertPoint(int64_t study_id, const Point& point,
                                  const Outcome& outcome) {
  sqlite3* database = database_.get();
  Statement insert(database,
                   "INSERT INTO point (study, key, round, status, reason) "
                   "VALUES (?, ?, ?, ?, ?)");
  STINT_RETURN_IF_ERROR(insert.Bind(study_id)
                            .Bind(point.Key())
                            .Bind(static_cast<int64_t>(point.round))
                            .Bind(outcome.status)
                            .Bind(outcome.reason)
                            .Run());
  const int64_t id = sqlite3_last_insert_rowid(database);
  STINT_RETURN_IF_ERROR(InsertSetting(database, id, point.condition));
  STINT_RETURN_IF_ERROR(InsertSetting(database, id, point.treatment));
  STINT_RETURN_IF_ERROR(InsertSamples(database, id, outcome));
  STINT_RETURN_IF_ERROR(InsertTexts(database,
                                    "INSERT INTO fact VALUES (?, ?, "
                                    "CAST(? AS TEXT))",
                                    id, outcome.facts));
  return InsertTexts(database, "INSERT INTO file VALUES (?, ?, ?)", id,
                     outcome.files);
}

Result<Outcome> StudyDatabase::Find(int64_t study_id, const Point& point) {
  sqlite3* database = database_.get();
  STINT_ASSIGN_OR_RETURN(const int64_t id, PointId(study_id, point));
  if (id == 0) return NotFound(path_ + ": no point '" + point.Key() + "'");
  Outcome outcome;
  Statement find(database, "SELECT status, reason FROM point WHERE id = ?");
  STINT_RETURN_IF_ERROR(find.Bind(id).Step().status());
  outcome.status = find.Text(0);
  outcome.reason = find.Text(1);
  Statement samples(database,
                    "SELECT name, value FROM sample WHERE point = ? "
                    "ORDER BY name, number");
  samples.Bind(id);
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, samples.Step());
    if (!row) break;
    outcome.samples[samples.Text(0)].push_back(samples.Real(1));
  }
  STINT_RETURN_IF_ERROR(
      ReadTexts(database, "SELECT name, value FROM fact WHERE point = ?", id,
                &outcome.facts));
  STINT_RETURN_IF_ERROR(
      ReadTexts(database, "SELECT name, content FROM file WHERE point = ?", id,
                &outcome.files));
  return outcome;
}

Result<int64_t> StudyDatabase::CountFinished(int64_t study_id) {
  Statement count(database_.get(),
                  "SELECT count(*) FROM point WHERE study = ?");
  STINT_RETURN_IF_ERROR(count.Bind(study_id).Step().status());
  return count.Int(0);
}

}  // namespace stint

#include "lab/study/study_schema.h"

#include <sqlite3.h>

#include "lab/study/statement.h"

namespace stint {
namespace {

// "stnt": tells our files from other SQLite databases.
constexpr int64_t kApplicationId = 0x73746e74;
constexpr int64_t kSchemaVersion = 3;

constexpr char kMachine[] = R"sql(
CREATE TABLE machine (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, host TEXT NOT NULL,
  UNIQUE (name, host));
)sql";

constexpr char kPoint[] = R"sql(
CREATE TABLE point (
  id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study (id),
  machine INTEGER NOT NULL, key TEXT NOT NULL, round INTEGER NOT NULL,
  status TEXT NOT NULL, reason TEXT NOT NULL,
  finished TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  attempts INTEGER NOT NULL DEFAULT 1,
  UNIQUE (study, machine, key));
)sql";

constexpr char kOtherTables[] = R"sql(
CREATE TABLE study (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, definition TEXT NOT NULL,
  seed INTEGER NOT NULL, created TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
  UNIQUE (name, definition, seed));
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

// Points of version 1 do not say which machine they are of: 0.
constexpr char kMoveOldPoints[] = R"sql(
INSERT INTO point (id, study, machine, key, round, status, reason, finished)
  SELECT id, study, 0, key, round, status, reason, finished FROM old_point;
DROP TABLE old_point;
)sql";

// Machines of version 2 are kinds: which one of a kind is not known.
constexpr char kMoveOldMachines[] = R"sql(
INSERT INTO machine (id, name, host) SELECT id, name, '' FROM old_machine;
DROP TABLE old_machine;
ALTER TABLE point ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;
)sql";

Result<int64_t> ReadNumber(sqlite3* database, const char* sql) {
  Statement statement(database, sql);
  STINT_ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? statement.Int(0) : 0;
}

// All or nothing, with the version at the end.
Status Change(sqlite3* database, const std::string& sql) {
  const std::string whole =
      "BEGIN IMMEDIATE;" + sql +
      "PRAGMA application_id = " + std::to_string(kApplicationId) +
      "; PRAGMA user_version = " + std::to_string(kSchemaVersion) + "; COMMIT";
  const Status status = ExecuteSql(database, whole.c_str());
  if (!status.ok()) (void)ExecuteSql(database, "ROLLBACK");
  return status;
}

}  // namespace

Status ExecuteSql(sqlite3* database, const char* sql) {
  char* error = nullptr;
  if (sqlite3_exec(database, sql, nullptr, nullptr, &error) == SQLITE_OK) {
    return OkStatus();
  }
  const std::string message = error != nullptr ? error : "unknown error";
  sqlite3_free(error);
  return IoError(message);
}

Status PrepareSchema(sqlite3* database) {
  STINT_ASSIGN_OR_RETURN(
      const int64_t tables,
      ReadNumber(database, "SELECT count(*) FROM sqlite_master"));
  if (tables == 0) {
    STINT_RETURN_IF_ERROR(ExecuteSql(database, "PRAGMA journal_mode = WAL"));
    return Change(database, std::string(kOtherTables) + kMachine + kPoint);
  }
  STINT_ASSIGN_OR_RETURN(const int64_t id,
                         ReadNumber(database, "PRAGMA application_id"));
  STINT_ASSIGN_OR_RETURN(const int64_t version,
                         ReadNumber(database, "PRAGMA user_version"));
  if (id != kApplicationId) {
    return Damaged("a database, but not one of studies");
  }
  if (version == 1) {
    // The other tables name `point`; the old way of renaming leaves them be.
    return Change(database,
                  "PRAGMA legacy_alter_table = ON;"
                  "ALTER TABLE point RENAME TO old_point;" +
                      std::string(kMachine) + kPoint + kMoveOldPoints +
                      "PRAGMA legacy_alter_table = OFF;");
  }
  if (version == 2) {
    return Change(database, "ALTER TABLE machine RENAME TO old_machine;" +
                                std::string(kMachine) + kMoveOldMachines);
  }
  if (version != kSchemaVersion) {
    return Unsupported("schema version " + std::to_string(version) +
                       ", expected " + std::to_string(kSchemaVersion) +
                       ", 2 or 1");
  }
  return OkStatus();
}

}  // namespace stint

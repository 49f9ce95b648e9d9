#include "lab/study/merge_studies.h"

#include <sqlite3.h>

#include "core/platform/file.h"
#include "lab/study/statement.h"
#include "lab/study/study_schema.h"

namespace stint {
namespace {

// Parts of a point: copied with its new id in place of the old.
constexpr const char* kCopyParts[] = {
    "INSERT INTO setting SELECT ?, axis, value FROM other.setting "
    "WHERE point = ?",
    "INSERT INTO sample SELECT ?, name, number, value FROM other.sample "
    "WHERE point = ?",
    "INSERT INTO fact SELECT ?, name, value FROM other.fact WHERE point = ?",
    "INSERT INTO file SELECT ?, name, content FROM other.file WHERE point = ?",
};

constexpr char kCopyNames[] = R"sql(
INSERT OR IGNORE INTO main.study (name, definition, seed, created)
  SELECT name, definition, seed, created FROM other.study;
INSERT OR IGNORE INTO main.machine (name, host)
  SELECT name, host FROM other.machine;
)sql";

// Points of the other file with the ids that their study and machine have here.
constexpr char kPoints[] = R"sql(
SELECT p.id, mine.id, coalesce(here.id, 0), p.key, p.round, p.status, p.reason,
  p.finished, p.attempts
FROM other.point p JOIN other.study s ON s.id = p.study
JOIN main.study mine ON mine.name = s.name AND mine.definition = s.definition
  AND mine.seed = s.seed
LEFT JOIN other.machine m ON m.id = p.machine
LEFT JOIN main.machine here ON here.name = m.name
  AND here.host = m.host
ORDER BY p.id
)sql";

Status CopyPoint(sqlite3* database, const Statement& point, MergeCount* count) {
  Statement insert(database,
                   "INSERT OR IGNORE INTO main.point (study, machine, key, "
                   "round, status, reason, finished, attempts) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  STINT_RETURN_IF_ERROR(insert.Bind(point.Int(1))
                            .Bind(point.Int(2))
                            .Bind(point.Text(3))
                            .Bind(point.Int(4))
                            .Bind(point.Text(5))
                            .Bind(point.Text(6))
                            .Bind(point.Text(7))
                            .Bind(point.Int(8))
                            .Run());
  if (sqlite3_changes(database) == 0) {
    ++count->present;
    return OkStatus();
  }
  ++count->added;
  const int64_t id = sqlite3_last_insert_rowid(database);
  for (const char* sql : kCopyParts) {
    Statement copy(database, sql);
    STINT_RETURN_IF_ERROR(copy.Bind(id).Bind(point.Int(0)).Run());
  }
  return OkStatus();
}

Result<MergeCount> CopyAll(sqlite3* database) {
  STINT_RETURN_IF_ERROR(ExecuteSql(database, kCopyNames));
  MergeCount count;
  Statement points(database, kPoints);
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, points.Step());
    if (!row) return count;
    STINT_RETURN_IF_ERROR(CopyPoint(database, points, &count));
  }
}

}  // namespace

Result<MergeCount> MergeStudies(const std::string& from, StudyDatabase* into) {
  if (!FileExists(from)) return NotFound(from + ": no such file");
  // Opening checks the file and brings an older schema up to date.
  STINT_RETURN_IF_ERROR(StudyDatabase::Open(from).status());
  sqlite3* database = into->handle();
  {
    Statement attach(database, "ATTACH DATABASE ? AS other");
    const Status attached = attach.Bind(from).Run();
    if (!attached.ok()) return attached.Annotate(from);
  }
  Result<MergeCount> count = IoError("not begun");
  Status status = ExecuteSql(database, "BEGIN IMMEDIATE");
  if (status.ok()) {
    count = CopyAll(database);
    status = ExecuteSql(database, count.ok() ? "COMMIT" : "ROLLBACK");
  }
  const Status detached = ExecuteSql(database, "DETACH DATABASE other");
  if (!status.ok()) return status.Annotate(from);
  if (!count.ok()) return count.status().Annotate(from);
  if (!detached.ok()) return detached.Annotate(from);
  return count;
}

}  // namespace stint

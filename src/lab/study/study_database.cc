#include "lab/study/study_database.h"

#include <sqlite3.h>

#include "core/platform/file.h"
#include "core/platform/machine/machine_state.h"
#include "lab/study/statement.h"
#include "lab/study/study_schema.h"

namespace stint {
namespace {

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

// With everything that belongs to it.
Status DeletePoint(sqlite3* database, int64_t point) {
  for (const char* sql :
       {"DELETE FROM setting WHERE point = ?",
        "DELETE FROM sample WHERE point = ?",
        "DELETE FROM fact WHERE point = ?", "DELETE FROM file WHERE point = ?",
        "DELETE FROM point WHERE id = ?"}) {
    Statement statement(database, sql);
    STINT_RETURN_IF_ERROR(statement.Bind(point).Run());
  }
  return OkStatus();
}

}  // namespace

std::optional<double> Outcome::Sample(const std::string& name) const {
  const auto found = samples.find(name);
  if (found == samples.end() || found->second.empty()) return std::nullopt;
  return found->second[0];
}

bool IsFailure(std::string_view status) {
  return status != "ok" && status != "infeasible" && status != "unsupported" &&
         status != "emulated";
}

void StudyDatabase::Closer::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Result<StudyDatabase> StudyDatabase::Open(const std::string& path) {
  STINT_RETURN_IF_ERROR(CheckFileOrNothing(path));
  sqlite3* raw = nullptr;
  const int code = sqlite3_open(path.c_str(), &raw);
  StudyDatabase database(path, std::unique_ptr<sqlite3, Closer>(raw));
  if (code != SQLITE_OK) {
    return IoError(path + ": " + sqlite3_errmsg(raw));
  }
  // Several programs may write one file: each waits for the others.
  sqlite3_busy_timeout(raw, 10000);
  const Status prepared = PrepareSchema(raw);
  if (!prepared.ok()) return prepared.Annotate(path);
  STINT_RETURN_IF_ERROR(database.UseMachine(MachineName(), HostId("")));
  return database;
}

Status StudyDatabase::UseMachine(const std::string& name,
                                 const std::string& host) {
  Statement insert(database_.get(),
                   "INSERT OR IGNORE INTO machine (name, host) VALUES (?, ?)");
  const Status inserted = insert.Bind(name).Bind(host).Run();
  if (!inserted.ok()) return inserted.Annotate(path_);
  Statement find(database_.get(),
                 "SELECT mine.id, coalesce(kind.id, mine.id) FROM machine mine "
                 "LEFT JOIN machine kind ON kind.name = mine.name "
                 "AND kind.host = '' WHERE mine.name = ? AND mine.host = ?");
  const auto row = find.Bind(name).Bind(host).Step();
  if (!row.ok()) return row.status().Annotate(path_);
  machine_ = find.Int(0);
  kind_ = find.Int(1);
  return OkStatus();
}

Result<std::vector<std::string>> StudyDatabase::Machines(int64_t study_id) {
  Statement find(database_.get(),
                 "SELECT DISTINCT coalesce(m.name, '') FROM point p "
                 "LEFT JOIN machine m ON m.id = p.machine "
                 "WHERE p.study = ? ORDER BY 1");
  find.Bind(study_id);
  std::vector<std::string> names;
  while (true) {
    const auto row = find.Step();
    if (!row.ok()) return row.status().Annotate(path_);
    if (!*row) return names;
    names.push_back(find.Text(0));
  }
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
                 "SELECT id FROM point WHERE study = ? AND key = ? "
                 "AND machine IN (?, ?, 0) "
                 "ORDER BY machine = ? DESC, machine DESC");
  const auto row = find.Bind(study_id)
                       .Bind(point.Key())
                       .Bind(machine_)
                       .Bind(kind_)
                       .Bind(machine_)
                       .Step();
  if (!row.ok()) return row.status().Annotate(path_);
  return *row ? find.Int(0) : 0;
}

Result<bool> StudyDatabase::IsFinished(int64_t study_id, const Point& point) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, PointId(study_id, point));
  return id != 0;
}

Result<int64_t> StudyDatabase::Attempts(int64_t point_id) {
  Statement find(database_.get(), "SELECT attempts FROM point WHERE id = ?");
  const auto row = find.Bind(point_id).Step();
  if (!row.ok()) return row.status().Annotate(path_);
  return *row ? find.Int(0) : 0;
}

Result<bool> StudyDatabase::IsSettled(int64_t study_id, const Point& point) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, PointId(study_id, point));
  if (id == 0) return false;
  Statement find(database_.get(), "SELECT status FROM point WHERE id = ?");
  const auto row = find.Bind(id).Step();
  if (!row.ok()) return row.status().Annotate(path_);
  const std::string status = find.Text(0);
  if (!IsFailure(status) || status == "wrong") return true;
  STINT_ASSIGN_OR_RETURN(const int64_t attempts, Attempts(id));
  return attempts >= kMostAttempts;
}

Status StudyDatabase::Record(int64_t study_id, const Point& point,
                             const Outcome& outcome) {
  sqlite3* database = database_.get();
  Status status = ExecuteSql(database, "BEGIN IMMEDIATE");
  if (status.ok()) status = InsertPoint(study_id, point, outcome);
  if (status.ok()) status = ExecuteSql(database, "COMMIT");
  if (status.ok()) return status;
  const Status rolled_back = ExecuteSql(database, "ROLLBACK");
  return status.Annotate(path_);
}

Status StudyDatabase::InsertPoint(int64_t study_id, const Point& point,
                                  const Outcome& outcome) {
  sqlite3* database = database_.get();
  STINT_ASSIGN_OR_RETURN(const int64_t before, PointId(study_id, point));
  STINT_ASSIGN_OR_RETURN(const int64_t attempts, Attempts(before));
  STINT_RETURN_IF_ERROR(DeletePoint(database, before));
  Statement insert(database,
                   "INSERT INTO point (study, machine, key, round, status, "
                   "reason, attempts) VALUES (?, ?, ?, ?, ?, ?, ?)");
  STINT_RETURN_IF_ERROR(insert.Bind(study_id)
                            .Bind(machine_)
                            .Bind(point.Key())
                            .Bind(static_cast<int64_t>(point.round))
                            .Bind(outcome.status)
                            .Bind(outcome.reason)
                            .Bind(attempts + 1)
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

Result<std::vector<std::string>> StudyDatabase::Values(
    const char* sql, int64_t study_id, const std::string& name) {
  Statement find(database_.get(), sql);
  find.Bind(study_id).Bind(name);
  std::vector<std::string> values;
  while (true) {
    const auto row = find.Step();
    if (!row.ok()) return row.status().Annotate(path_);
    if (!*row) return values;
    values.push_back(find.Text(0));
  }
}

Result<std::vector<std::string>> StudyDatabase::AxisValues(
    int64_t study_id, const std::string& axis) {
  return Values(
      "SELECT DISTINCT s.value FROM setting s JOIN point p ON p.id = s.point "
      "WHERE p.study = ? AND s.axis = ? ORDER BY 1",
      study_id, axis);
}

Result<std::vector<std::string>> StudyDatabase::FactValues(
    int64_t study_id, const std::string& name) {
  return Values(
      "SELECT DISTINCT f.value FROM fact f JOIN point p ON p.id = f.point "
      "WHERE p.study = ? AND f.name = ? ORDER BY 1",
      study_id, name);
}

Result<int64_t> StudyDatabase::CountFinished(int64_t study_id) {
  Statement count(database_.get(),
                  "SELECT count(*) FROM point WHERE study = ?");
  STINT_RETURN_IF_ERROR(count.Bind(study_id).Step().status());
  return count.Int(0);
}

}  // namespace stint

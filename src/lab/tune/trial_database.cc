#include "lab/tune/trial_database.h"

#include <sqlite3.h>

#include <cmath>

#include "core/platform/file.h"
#include "lab/study/statement.h"

namespace stint {
namespace {

// Grows when the table changes.
constexpr int64_t kVersion = 1;

Status Run(sqlite3* database, const char* sql) {
  return Statement(database, sql).Run();
}

}  // namespace

std::string TrialFile(const std::string& folder) {
  return JoinPath(folder, "trials.db");
}

void TrialDatabase::Closer::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

Result<TrialDatabase> TrialDatabase::Open(const std::string& path,
                                          const std::string& machine) {
  STINT_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(path)));
  STINT_RETURN_IF_ERROR(CheckFileOrNothing(path));
  sqlite3* raw = nullptr;
  const int code = sqlite3_open(path.c_str(), &raw);
  TrialDatabase database(path, machine, raw);
  if (code != SQLITE_OK) return IoError(path + ": " + sqlite3_errmsg(raw));
  sqlite3_busy_timeout(raw, 10000);
  const Status prepared = database.Prepare();
  if (!prepared.ok()) {
    return Damaged(path + ": " + std::string(prepared.message()) +
                   "; it is left as it is, `stint device --forget` removes it");
  }
  return database;
}

Status TrialDatabase::Prepare() {
  sqlite3* database = database_.get();
  Statement version(database, "PRAGMA user_version");
  STINT_RETURN_IF_ERROR(version.Step().status());
  const int64_t found = version.Int(0);
  if (found != 0 && found != kVersion) {
    return Unsupported("has version " + std::to_string(found) +
                       ", this program knows " + std::to_string(kVersion));
  }
  Statement check(database, "PRAGMA quick_check(1)");
  STINT_RETURN_IF_ERROR(check.Step().status());
  if (check.Text(0) != "ok") return Damaged(check.Text(0));
  // A crash of the machine may lose the last trials, never of the program.
  STINT_RETURN_IF_ERROR(Run(database, "PRAGMA synchronous = OFF"));
  STINT_RETURN_IF_ERROR(
      Run(database,
          "CREATE TABLE IF NOT EXISTS trial (machine TEXT NOT NULL, layer TEXT "
          "NOT NULL, plan TEXT NOT NULL, us REAL NOT NULL, "
          "UNIQUE (machine, layer, plan) ON CONFLICT REPLACE)"));
  return Run(database, "PRAGMA user_version = 1");
}

Result<std::vector<Trial>> TrialDatabase::All() {
  Statement find(database_.get(),
                 "SELECT layer, plan, us FROM trial WHERE machine = ? "
                 "ORDER BY rowid");
  find.Bind(std::string_view(machine_));
  std::vector<Trial> trials;
  while (true) {
    const auto row = find.Step();
    if (!row.ok()) return row.status().Annotate(path_);
    if (!*row) return trials;
    Trial trial;
    trial.layer = find.Text(0);
    const auto plan = ParseConvPlan(find.Text(1));
    trial.us = find.Real(2);
    if (!plan.ok() || !std::isfinite(trial.us) || trial.us <= 0) {
      return Damaged(path_ + ": a trial of " + trial.layer +
                     " is wrong: " + find.Text(1).substr(0, 80));
    }
    trial.plan = *plan;
    trials.push_back(std::move(trial));
  }
}

Status TrialDatabase::Add(const std::vector<Trial>& trials) {
  Status status = Run(database_.get(), "BEGIN");
  for (const Trial& trial : trials) {
    if (!status.ok()) break;
    Statement insert(database_.get(), "INSERT INTO trial VALUES (?, ?, ?, ?)");
    status = insert.Bind(std::string_view(machine_))
                 .Bind(std::string_view(trial.layer))
                 .Bind(std::string_view(ToText(trial.plan)))
                 .Bind(trial.us)
                 .Run();
  }
  const Status ended =
      Run(database_.get(), status.ok() ? "COMMIT" : "ROLLBACK");
  if (!status.ok()) return status.Annotate(path_);
  return ended.ok() ? ended : ended.Annotate(path_);
}

}  // namespace stint

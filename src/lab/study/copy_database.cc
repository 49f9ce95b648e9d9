#include <sqlite3.h>

#include <cctype>

#include "core/platform/file.h"
#include "lab/study/statement.h"
#include "lab/study/study_database.h"
#include "lab/study/study_schema.h"

namespace stint {
namespace {

// Letters, digits and slashes as they are, everything else as %XX.
std::string UriOf(const std::string& path) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '_') {
      uri += c;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

Status DatabaseError(sqlite3* database) {
  const std::string message = sqlite3_errmsg(database);
  const int code = sqlite3_errcode(database);
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? Damaged(message)
                                                         : IoError(message);
}

// A writer that was killed left a log that has to be read, too. Without one the
// file is whole and nothing beside it need be made.
std::string ReadOnlyUri(const std::string& path) {
  return UriOf(path) +
         (FileExists(path + "-wal") ? "?mode=ro" : "?mode=ro&immutable=1");
}

Status CopyInto(sqlite3* from, sqlite3* into) {
  sqlite3_backup* backup = sqlite3_backup_init(into, "main", from, "main");
  if (backup == nullptr) return DatabaseError(into);
  int code = SQLITE_OK;
  do {
    code = sqlite3_backup_step(backup, -1);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) sqlite3_sleep(20);
  } while (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_LOCKED);
  sqlite3_backup_finish(backup);
  if (code == SQLITE_DONE) return OkStatus();
  const Status status = DatabaseError(into);
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT
             ? Damaged(sqlite3_errstr(code))
             : status;
}

// Whole pages, and at least one study.
Status CheckContent(sqlite3* database) {
  {
    Statement check(database, "PRAGMA quick_check(1)");
    STINT_ASSIGN_OR_RETURN(const bool row, check.Step());
    if (row && check.Text(0) != "ok") return Damaged(check.Text(0));
  }
  Statement tables(database, "SELECT count(*) FROM sqlite_master");
  STINT_RETURN_IF_ERROR(tables.Step().status());
  if (tables.Int(0) == 0) return Damaged("empty, no study in it");
  return OkStatus();
}

}  // namespace

Result<StudyDatabase> StudyDatabase::OpenCopy(const std::string& path) {
  if (!FileExists(path)) return NotFound(path + ": no such file");
  sqlite3* raw = nullptr;
  const int file_code =
      sqlite3_open_v2(ReadOnlyUri(path).c_str(), &raw,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, Closer> file(raw);
  if (file_code != SQLITE_OK) return DatabaseError(raw).Annotate(path);
  const int copy_code = sqlite3_open(":memory:", &raw);
  StudyDatabase copy(path, std::unique_ptr<sqlite3, Closer>(raw));
  if (copy_code != SQLITE_OK) return DatabaseError(raw).Annotate(path);
  Status status = CopyInto(file.get(), raw);
  // The copy is in memory: a log beside it is neither needed nor possible.
  if (status.ok()) status = ExecuteSql(raw, "PRAGMA journal_mode = MEMORY");
  if (status.ok()) status = CheckContent(raw);
  if (status.ok()) status = PrepareSchema(raw);
  if (!status.ok()) {
    // What a query says of a page that cannot be read is about the file.
    return (sqlite3_errcode(raw) == SQLITE_CORRUPT ? Damaged(status.message())
                                                   : status)
        .Annotate(path);
  }
  return copy;
}

}  // namespace stint

#include "lab/study/statement.h"

#include <sqlite3.h>

namespace stint {

Statement::Statement(sqlite3* database, const char* sql) : database_(database) {
  sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::Bind(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}

Statement& Statement::Bind(double value) {
  sqlite3_bind_double(statement_, next_++, value);
  return *this;
}

Statement& Statement::Bind(std::string_view text) {
  sqlite3_bind_text64(statement_, next_++, text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(std::string_view bytes) {
  sqlite3_bind_blob64(statement_, next_++, bytes.data(), bytes.size(),
                      SQLITE_TRANSIENT);
  return *this;
}

Result<bool> Statement::Step() {
  const int code = statement_ == nullptr ? sqlite3_errcode(database_)
                                         : sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const std::string message = sqlite3_errmsg(database_);
  if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) return Damaged(message);
  return IoError(message);
}

Status Statement::Run() {
  while (true) {
    STINT_ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) break;
  }
  sqlite3_reset(statement_);
  next_ = 1;
  return OkStatus();
}

int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::Real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Statement::Text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? ""
                          : std::string(static_cast<const char*>(bytes),
                                        static_cast<size_t>(size));
}

}  // namespace stint

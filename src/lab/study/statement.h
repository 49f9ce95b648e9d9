#pragma once
// One prepared SQL statement: bind in order, step, read columns.

#include <cstdint>
#include <string>
#include <string_view>

#include "stint/status.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stint {

class Statement {
 public:
  // Errors of every call, the failed preparation included, come from Step.
  Statement(sqlite3* database, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Each binds the next parameter.
  Statement& Bind(int64_t value);
  Statement& Bind(double value);
  Statement& Bind(std::string_view text);
  Statement& BindBlob(std::string_view bytes);

  // True when there is a row to read, false at the end.
  Result<bool> Step();
  // Steps to the end and makes the statement ready for new parameters.
  Status Run();

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;  // of a text or blob

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int next_ = 1;
};

}  // namespace stint

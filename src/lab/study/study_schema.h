#pragma once
// The tables of a database of studies (docs/formats/study.md).

#include "stint/status.h"

struct sqlite3;

namespace stint {

// Runs statements that answer nothing.
Status ExecuteSql(sqlite3* database, const char* sql);

// Makes the tables in an empty file, and brings those of an older schema up to
// date in one transaction. kDamaged on a file that is no database of studies,
// kUnsupported on one of a newer schema, with both versions named.
Status PrepareSchema(sqlite3* database);

}  // namespace stint

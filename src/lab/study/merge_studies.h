#pragma once
// Results of several files, machines or parts of a sweep in one.

#include <cstdint>
#include <string>

#include "lab/study/study_database.h"

namespace stint {

struct MergeCount {
  int64_t added = 0;
  int64_t present = 0;  // points that were there already; they are kept
};

// Copies every point of the database at `from` that `into` does not have, with
// its study and machine, in one transaction: all or nothing. The file at `from`
// must exist; errors name it.
Result<MergeCount> MergeStudies(const std::string& from, StudyDatabase* into);

}  // namespace stint

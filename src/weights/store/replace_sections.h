#pragma once
// Puts what was measured of a .stint file into it, later than its weights.

#include <string>
#include <vector>

#include "stint/status.h"
#include "weights/store/format.h"

namespace stint::store {

struct NewSection {
  SectionKind kind;      // checked as a whole, not in parts
  std::string contents;  // empty: the file has none of the kind afterwards
};

// Writes to `to` the file at `from`, which may be the same, with these sections
// in place of those of the same kinds. Written beside `to` and renamed; until
// then what is there stays. Returns its bytes.
Result<int64_t> ReplaceSections(const std::string& from, const std::string& to,
                                const std::vector<NewSection>& sections);

}  // namespace stint::store

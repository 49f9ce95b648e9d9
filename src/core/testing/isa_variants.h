#pragma once
// Counts which variants of kernels a test program has run: those for
// instruction sets that this machine lacks are skipped, and that is said.

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <typeinfo>

#include "core/platform/cpu_info.h"

namespace stint {

// Ends the program's output with "ran 9 of 11 ISA variants; skipped: ...".
class IsaVariants : public testing::EmptyTestEventListener {
 public:
  static IsaVariants& Of() {
    // Owned by GoogleTest, which deletes it after the last report.
    static IsaVariants* const variants = [] {
      auto* made = new IsaVariants;
      testing::UnitTest::GetInstance()->listeners().Append(made);
      return made;
    }();
    return *variants;
  }

  void Add(const std::string& family, const std::string& name, bool ran) {
    ran_[{family, name}] |= ran;
  }

  std::string Summary() const {
    size_t ran = 0;
    std::string skipped;
    for (const auto& [variant, here] : ran_) {
      ran += here;
      if (!here) skipped += (skipped.empty() ? "" : ", ") + variant.second;
    }
    return "ran " + std::to_string(ran) + " of " + std::to_string(ran_.size()) +
           " ISA variants" + (skipped.empty() ? "" : "; skipped: " + skipped);
  }

  void OnTestProgramEnd(const testing::UnitTest&) override {
    std::printf("%s\n", Summary().c_str());
  }

 private:
  // By the type of the table's rows and the name of the row.
  std::map<std::pair<std::string, std::string>, bool> ran_;
};

// Whether this machine runs a row of a kernel table; counts it.
template <typename Row>
bool RunsHere(const Row& row) {
  const bool here = row.isa <= DetectIsa();
  IsaVariants::Of().Add(typeid(Row).name(), row.name, here);
  return here;
}

// Likewise for code that is bound to an instruction set as a whole.
inline bool RunsHere(const std::string& what, Isa isa) {
  const bool here = isa <= DetectIsa();
  IsaVariants::Of().Add(what, std::string(IsaName(isa)), here);
  return here;
}

}  // namespace stint

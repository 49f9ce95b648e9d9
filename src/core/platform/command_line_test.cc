#include "core/platform/command_line.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

using namespace std::string_view_literals;

TEST(CommandText, HasTheProgramWithoutItsFolder) {
  EXPECT_EQ(CommandText("/some/where/stint\0study\0--db\0a/b.db\0"sv),
            "stint study --db a/b.db");
}

TEST(CommandText, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(CommandText("stint\0two words\0it's\0\0$HOME\0"sv),
            R"(stint 'two words' 'it'\''s' '' '$HOME')");
}

TEST(CommandText, OfThisProcessNamesTheTestProgram) {
  EXPECT_EQ(OwnCommandText().rfind("test_", 0), 0u) << OwnCommandText();
}

}  // namespace
}  // namespace stint

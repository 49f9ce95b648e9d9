#include "convert/data/text_lines.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

TEST(TextLines, ALineIsATextAndATabSeparatesTwo) {
  const auto lines = ParseTextLines(
      "\xef\xbb\xbf"
      "a film\r\n\n  \none\ttwo\nlast",
      0);
  ASSERT_TRUE(lines.ok()) << lines.status().message();
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_EQ((*lines)[0].text, "a film");
  EXPECT_EQ((*lines)[0].pair, "");
  EXPECT_EQ((*lines)[1].text, "one");
  EXPECT_EQ((*lines)[1].pair, "two");
  EXPECT_EQ((*lines)[2].text, "last");
}

TEST(TextLines, NoMoreAreTakenThanAskedFor) {
  EXPECT_EQ(ParseTextLines("a\nb\nc\n", 2)->size(), 2u);
}

TEST(TextLines, ATableIsRefusedByItsLine) {
  EXPECT_EQ(ParseTextLines("a\nb\tc\td\n", 0).status().message(),
            "line 2 has several tabs; expected a text, or two with a tab "
            "between them (a table of a task needs --task)");
}

TEST(TextLines, AFileWithoutTextIsNamed) {
  const std::string path = testing::TempDir() + "/empty_lines.txt";
  ASSERT_TRUE(WriteFileAtomically(path, "\n\n").ok());
  EXPECT_EQ(ReadTextLines(path, 0).status().message(),
            path + ": no lines of text");
}

}  // namespace
}  // namespace stint

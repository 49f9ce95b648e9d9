#include "core/base/printable.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text :
       {"", "plain 'a\\b'", "line\n\ttab", "Grüße, 世界 🙂"}) {
    EXPECT_EQ(Printable(text), text);
  }
}

TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(Printable("\x1b[2J\a\r\x7f"), "\\x1b[2J\\x07\\x0d\\x7f");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m\xc2\xa0."),
            "\\u009b31m\xc2\xa0.");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("a\xff"
                      "b"),
            "a\\xffb");
  EXPECT_EQ(Printable("\xe4\xb8"), "\\xe4\\xb8");  // cut off
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");  // longer than needed
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(PrintableJson, EscapesWhatJsonLeaves) {
  EXPECT_EQ(PrintableJson("{\"a\":\"\xc2\x9b\x7fü\"}"),
            "{\"a\":\"\\u009b\\u007fü\"}");
}

}  // namespace
}  // namespace stint

#include "convert/data/line_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace stint {
namespace {

using Lines = std::vector<std::string>;

Lines LinesOf(std::string_view text, size_t chunk_bytes) {
  LineReader reader(std::make_unique<MemoryStream>(text), chunk_bytes);
  Lines lines;
  while (true) {
    const auto line = reader.Next().value();
    if (!line.has_value()) return lines;
    lines.emplace_back(*line);
  }
}

// Endless lines: none of them ever ends.
class Endless : public ByteStream {
 public:
  Result<size_t> Read(std::span<char> out) override {
    std::fill(out.begin(), out.end(), 'x');
    return out.size();
  }
};

TEST(LineReader, LinesAreTheSameHoweverTheyAreRead) {
  constexpr std::string_view kText = "\xef\xbb\xbfone\r\n\ntwo\n\nlast";
  const Lines expected = {"one", "", "two", "", "last"};
  for (size_t chunk = 1; chunk < 30; ++chunk) {
    EXPECT_EQ(LinesOf(kText, chunk), expected) << chunk;
  }
}

TEST(LineReader, ALastLineEndBeginsNoLine) {
  EXPECT_EQ(LinesOf("a\n", 1), Lines{"a"});
  EXPECT_EQ(LinesOf("a\n", 2), Lines{"a"});
}

TEST(LineReader, AnEmptyTextHasNoLines) {
  EXPECT_EQ(LinesOf("", 4), Lines{});
  EXPECT_EQ(LinesOf("\xef\xbb\xbf", 4), Lines{});
}

TEST(LineReader, CountsLinesFromOne) {
  LineReader reader(std::make_unique<MemoryStream>("a\nb\n"));
  (void)reader.Next();
  EXPECT_EQ(reader.number(), 1);
  (void)reader.Next();
  EXPECT_EQ(reader.number(), 2);
}

TEST(LineReader, ALineThatDoesNotEndIsDamage) {
  LineReader reader(std::make_unique<Endless>());
  const Status status = reader.Next().status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(), "line 1: longer than 16777216 bytes");
}

}  // namespace
}  // namespace stint

#include "convert/data/compressed_file.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

// printf 'hello, hello, hello\n' | gzip -n
const std::string_view kGzip(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xd7\x51\xc8"
    "\x40\xa2\xb8\x00\xe7\x42\x6e\x52\x14\x00\x00\x00",
    30);
// printf 'hello, hello, hello\n' | xz --check=crc32
const std::string_view kXz(
    "\xfd\x37\x7a\x58\x5a\x00\x00\x01\x69\x22\xde\x36\x02\x00\x21\x01\x16\x00"
    "\x00\x00\x74\x2f\xe5\xa3\xe0\x00\x13\x00\x0e\x5d\x00\x34\x19\x49\xee\x8d"
    "\xef\x8c\x87\x31\xf5\x2f\x64\x00\x00\x00\x00\x00\xe7\x42\x6e\x52\x00\x01"
    "\x26\x14\x72\xe2\x82\xf9\x90\x42\x99\x0d\x01\x00\x00\x00\x00\x01\x59\x5a",
    72);
constexpr std::string_view kText = "hello, hello, hello\n";

TEST(CompressedFile, UnpacksGzip) {
  EXPECT_EQ(UnpackGzip(kGzip, 100).value(), kText);
}

TEST(CompressedFile, UnpacksXz) {
  EXPECT_EQ(UnpackXz(kXz, 100).value(), kText);
}

TEST(CompressedFile, JoinsConcatenatedStreams) {
  const std::string twice = std::string(kText) + std::string(kText);
  EXPECT_EQ(UnpackGzip(std::string(kGzip) + std::string(kGzip), 100).value(),
            twice);
  EXPECT_EQ(UnpackXz(std::string(kXz) + std::string(kXz), 100).value(), twice);
}

TEST(CompressedFile, EveryTruncationIsDamage) {
  for (size_t n = 0; n < kGzip.size(); ++n) {
    EXPECT_EQ(UnpackGzip(kGzip.substr(0, n), 100).status().code(),
              StatusCode::kDamaged);
  }
  for (size_t n = 0; n < kXz.size(); ++n) {
    EXPECT_EQ(UnpackXz(kXz.substr(0, n), 100).status().code(),
              StatusCode::kDamaged);
  }
}

TEST(CompressedFile, StopsAtTheLimit) {
  EXPECT_TRUE(UnpackGzip(kGzip, 20).ok());
  EXPECT_EQ(UnpackGzip(kGzip, 19).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_TRUE(UnpackXz(kXz, 20).ok());
  EXPECT_EQ(UnpackXz(kXz, 19).status().code(), StatusCode::kResourceExhausted);
}

TEST(CompressedFile, ReadsNoMoreThanTheFirstBytes) {
  for (const auto& [name, packed] : {std::pair("stint_first_test.gz", kGzip),
                                     {"stint_first_test.xz", kXz}}) {
    const std::string path = JoinPath(testing::TempDir(), name);
    // The end is missing.
    ASSERT_TRUE(
        WriteFileAtomically(path, packed.substr(0, packed.size() - 8)).ok());
    EXPECT_EQ(ReadFirstBytes(path, 7).value(), "hello, ") << name;
    EXPECT_EQ(ReadFirstBytes(path, 100).status().code(), StatusCode::kDamaged);
    ASSERT_TRUE(WriteFileAtomically(path, packed).ok());
    EXPECT_EQ(ReadFirstBytes(path, 100).value(), kText) << name;
  }
  const std::string plain = JoinPath(testing::TempDir(), "stint_first_test");
  ASSERT_TRUE(WriteFileAtomically(plain, kText).ok());
  EXPECT_EQ(ReadFirstBytes(plain, 7).value(), "hello, ");
  EXPECT_EQ(ReadFirstBytes(plain, 100).value(), kText);
}

TEST(CompressedFile, ContentIsTheSameHoweverItIsRead) {
  const std::string folder = testing::TempDir();
  for (const auto& [name, bytes] : {std::pair("stint_bits_test.gz", kGzip),
                                    {"stint_bits_test.xz", kXz},
                                    {"stint_bits_test.txt", kText}}) {
    const std::string path = JoinPath(folder, name);
    ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
    for (size_t step = 1; step < kText.size() + 2; ++step) {
      const auto stream = OpenMaybeCompressed(path).value();
      std::string text, part(step, '\0');
      size_t count = step;
      while (count == step) {
        count = stream->Read(part).value();
        text += part.substr(0, count);
      }
      EXPECT_EQ(text, kText) << name << " " << step;
    }
  }
}

TEST(CompressedFile, DecidesByTheName) {
  const std::string folder = testing::TempDir();
  const std::string plain = JoinPath(folder, "stint_compressed_test.txt");
  const std::string packed = JoinPath(folder, "stint_compressed_test.gz");
  ASSERT_TRUE(WriteFileAtomically(plain, kText).ok());
  ASSERT_TRUE(WriteFileAtomically(packed, kGzip).ok());
  EXPECT_EQ(ReadMaybeCompressed(plain).value(), kText);
  EXPECT_EQ(ReadMaybeCompressed(packed).value(), kText);
}

TEST(CompressedFile, ErrorsNameTheFile) {
  const std::string path = JoinPath(testing::TempDir(), "stint_bad_test.gz");
  ASSERT_TRUE(WriteFileAtomically(path, kText).ok());
  const Status status = ReadMaybeCompressed(path).status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_TRUE(status.message().starts_with(path)) << status.message();
}

}  // namespace
}  // namespace stint

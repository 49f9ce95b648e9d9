#include "convert/data/tar.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

std::string Fixture(const std::string& name) {
  return ReadFile(std::string(STINT_TEST_FIXTURES) + "/tar/" + name).value();
}

Result<std::vector<TarEntry>> Read(std::string_view bytes) {
  return ReadTar(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

std::string Text(const TarEntry& entry) {
  return {entry.content.begin(), entry.content.end()};
}

// Each archive holds the folder d, d/a.txt with "first", an empty file, and a
// file whose name has more than 100 characters.
TEST(Tar, ReadsRegularFilesOfGnuAndPosixArchives) {
  const std::string long_name =
      "d/" + std::string(60, 'x') + "/" + std::string(60, 'y');
  for (const char* name : {"gnu.tar", "ustar.tar"}) {
    const std::string bytes = Fixture(name);
    const auto entries = Read(bytes);
    ASSERT_TRUE(entries.ok()) << entries.status().message();
    ASSERT_EQ(entries->size(), 3u) << name;
    EXPECT_EQ((*entries)[0].name, "d/a.txt");
    EXPECT_EQ(Text((*entries)[0]), "first");
    EXPECT_EQ((*entries)[1].name, "d/empty");
    EXPECT_EQ(Text((*entries)[1]), "");
    EXPECT_EQ((*entries)[2].name, long_name);
    EXPECT_EQ(Text((*entries)[2]), "long");
  }
}

TEST(Tar, EveryTruncationBeforeTheClosingZerosIsDamage) {
  const std::string bytes = Fixture("ustar.tar");
  const size_t end = 6 * 512;  // four headers, two of them with content
  for (size_t n = 0; n < end; ++n) {
    EXPECT_EQ(Read(std::string_view(bytes).substr(0, n)).status().code(),
              StatusCode::kDamaged)
        << n;
  }
  EXPECT_TRUE(Read(std::string_view(bytes).substr(0, end + 512)).ok());
}

TEST(Tar, NamesTheOffsetOfAWrongChecksum) {
  std::string bytes = Fixture("ustar.tar");
  bytes[512] = 'X';
  const Status status = Read(bytes).status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("offset 512: header checksum"),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace stint

#include "convert/data/image/cifar10.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

constexpr size_t kRecordBytes = 3073;

TEST(Cifar10, InterleavesThePlanes) {
  std::string record(kRecordBytes, '\0');
  record[0] = 7;
  record[1 + 33] = 1;         // red of row 1, column 1
  record[1 + 1024 + 33] = 2;  // green
  record[1 + 2048 + 33] = 3;  // blue
  const Cifar10 data = Cifar10::Decode(record).value();
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data.label(0), 7);
  const Image image = data.Picture(0);
  EXPECT_EQ(image.width, 32);
  EXPECT_EQ(image.height, 32);
  EXPECT_EQ(image.rgb[99], 1);
  EXPECT_EQ(image.rgb[100], 2);
  EXPECT_EQ(image.rgb[101], 3);
}

TEST(Cifar10, NamesTheRecordThatIsCutOff) {
  const Status status =
      Cifar10::Decode(std::string(2 * kRecordBytes - 1, '\0')).status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(),
            "CIFAR-10 record 1: expected 3073 bytes, found 3072");
  EXPECT_FALSE(Cifar10::Decode("").ok());
}

TEST(Cifar10, NamesTheRecordWithAWrongLabel) {
  std::string records(2 * kRecordBytes, '\0');
  records[kRecordBytes] = 10;
  EXPECT_EQ(Cifar10::Decode(records).status().message(),
            "CIFAR-10 record 1: label is 10, expected 0 to 9");
}

TEST(Cifar10, ABatchThatIsNotCompressedStaysInItsFile) {
  // 100 pictures, each of one color of its own.
  std::string records;
  for (int i = 0; i < 100; ++i) {
    records += std::string(1, static_cast<char>(i % 10)) +
               std::string(kRecordBytes - 1, static_cast<char>(i));
  }
  const std::string path = testing::TempDir() + "/cifar10_test.bin";
  ASSERT_TRUE(WriteFileAtomically(path, records).ok());
  const Cifar10 data = Cifar10::Open(path).value();
  ASSERT_EQ(data.size(), 100u);
  for (int i : {0, 63, 64, 99, 5}) {  // forth and back
    EXPECT_EQ(data.label(static_cast<size_t>(i)), i % 10);
    EXPECT_EQ(data.Picture(static_cast<size_t>(i)).rgb,
              std::vector<uint8_t>(3072, static_cast<uint8_t>(i)));
  }
  records.pop_back();
  ASSERT_TRUE(WriteFileAtomically(path, records).ok());
  EXPECT_EQ(Cifar10::Open(path).status().message(),
            path + ": CIFAR-10 record 99: expected 3073 bytes, found 3072");
}

TEST(Cifar10, OnlyTheFirstRecordsAreLookedAt) {
  std::string records(3 * kRecordBytes, '\0');
  records[2 * kRecordBytes] = 10;  // no label
  for (const char* name : {"/cifar10_first_test.bin", "/cifar10_first_test"}) {
    const std::string path = testing::TempDir() + name;
    ASSERT_TRUE(WriteFileAtomically(path, records).ok());
    EXPECT_EQ(Cifar10::Open(path, 2).value().size(), 2u) << name;
    EXPECT_EQ(Cifar10::Open(path, 3).status().code(), StatusCode::kDamaged);
  }
}

TEST(Cifar10, FirstRecordsOfThePackedTestBatchAreThoseOfAll) {
  const std::string path =
      std::string(STINT_TEST_DATA) + "/cifar10/test_batch.bin.xz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const Cifar10 all = Cifar10::Open(path).value();
  const Cifar10 first = Cifar10::Open(path, 70).value();
  ASSERT_EQ(first.size(), 70u);
  for (size_t i : {size_t{0}, size_t{69}}) {
    EXPECT_EQ(first.label(i), all.label(i));
    EXPECT_EQ(first.Picture(i).rgb, all.Picture(i).rgb);
  }
  EXPECT_EQ(Cifar10::Open(path, 20000).value().size(), all.size());
}

TEST(Cifar10, TestBatchHasAThousandOfEachClass) {
  const std::string path =
      std::string(STINT_TEST_DATA) + "/cifar10/test_batch.bin.xz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const Result<Cifar10> data = Cifar10::Open(path);
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_EQ(data->size(), 10000u);
  std::vector<int> counts(10, 0);
  for (size_t i = 0; i < data->size(); ++i) ++counts[data->label(i)];
  EXPECT_EQ(counts, std::vector<int>(10, 1000));
}

}  // namespace
}  // namespace stint

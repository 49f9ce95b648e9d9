#include "convert/data/cifar10.h"

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
  const Cifar10 data = DecodeCifar10(record).value();
  ASSERT_EQ(data.labels, std::vector<int>{7});
  ASSERT_EQ(data.images.size(), 1u);
  const Image& image = data.images[0];
  EXPECT_EQ(image.width, 32);
  EXPECT_EQ(image.height, 32);
  EXPECT_EQ(image.rgb[99], 1);
  EXPECT_EQ(image.rgb[100], 2);
  EXPECT_EQ(image.rgb[101], 3);
}

TEST(Cifar10, NamesTheRecordThatIsCutOff) {
  const Status status =
      DecodeCifar10(std::string(2 * kRecordBytes - 1, '\0')).status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(),
            "CIFAR-10 record 1: expected 3073 bytes, found 3072");
  EXPECT_FALSE(DecodeCifar10("").ok());
}

TEST(Cifar10, NamesTheRecordWithAWrongLabel) {
  std::string records(2 * kRecordBytes, '\0');
  records[kRecordBytes] = 10;
  EXPECT_EQ(DecodeCifar10(records).status().message(),
            "CIFAR-10 record 1: label is 10, expected 0 to 9");
}

TEST(Cifar10, TestBatchHasAThousandOfEachClass) {
  const std::string path =
      std::string(STINT_TEST_DATA) + "/cifar10/test_batch.bin.xz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const Result<Cifar10> data = ReadCifar10(path);
  ASSERT_TRUE(data.ok()) << data.status().message();
  ASSERT_EQ(data->images.size(), 10000u);
  std::vector<int> counts(10, 0);
  for (const int label : data->labels) ++counts[label];
  EXPECT_EQ(counts, std::vector<int>(10, 1000));
}

}  // namespace
}  // namespace stint

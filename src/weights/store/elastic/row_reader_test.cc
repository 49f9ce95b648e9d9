#include "weights/store/elastic/row_reader.h"

#include <gtest/gtest.h>

#include "core/io/memory_reader.h"
#include "core/platform/file.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

// Ends no read while it is held, whatever the timeout.
class HeldReader : public BlockReader {
 public:
  HeldReader(std::unique_ptr<BlockReader> reader, const bool* held)
      : reader_(std::move(reader)), held_(held) {}
  std::string_view method() const override { return "held"; }
  int depth() const override { return reader_->depth(); }
  Status Start(const BlockRead& read) override { return reader_->Start(read); }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    if (*held_) return std::optional<BlockDone>();
    return reader_->Wait(timeout_ns);
  }

 private:
  std::unique_ptr<BlockReader> reader_;
  const bool* const held_;
};

class RowReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = WriteElastic(MakeElasticModel(64), SmallShards());
    package_ = ReadPackage(path).value();
    const std::string content = ReadFile(path).value();
    bytes_.assign(content.begin(), content.end());
  }
  const CatalogTable& table() const {
    return package_.shards->catalog.tables[0];
  }
  std::unique_ptr<RowReader> Open(int depth, int64_t cached) {
    return RowReader::Create(MakeMemoryReader(bytes_, depth), &table(), 100,
                             cached)
        .value();
  }
  std::vector<float> Expected(int64_t row) const {
    std::vector<float> numbers(64);
    EXPECT_TRUE(ReadRow(*package_.shards, 0, row, numbers.data()).ok());
    return numbers;
  }

  Package package_;
  std::vector<uint8_t> bytes_;
};

TEST_F(RowReaderTest, ReadsEachRowOnceAndKeepsIt) {
  const auto reader = Open(4, 100);
  const std::vector<int64_t> numbers = {7, 99, 0, 7, 7, 31, 64, 99};
  std::vector<float> to(numbers.size() * 64);
  for (int run = 0; run < 2; ++run) {
    std::fill(to.begin(), to.end(), -1.0f);
    ASSERT_TRUE(reader->Read(numbers, to.data()).ok());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const std::vector<float> expected = Expected(numbers[i]);
      EXPECT_TRUE(
          std::equal(expected.begin(), expected.end(), to.begin() + i * 64))
          << numbers[i];
    }
    EXPECT_EQ(reader->counts().rows_read, 5);
  }
  EXPECT_EQ(reader->counts().rows_wanted, 16);
}

TEST_F(RowReaderTest, ASmallCacheForgets) {
  const auto reader = Open(2, 1);
  std::vector<float> to(2 * 64);
  const std::vector<int64_t> numbers = {5, 6};
  ASSERT_TRUE(reader->Read(numbers, to.data()).ok());
  ASSERT_TRUE(reader->Read(numbers, to.data()).ok());
  EXPECT_EQ(reader->counts().rows_read, 3);
}

TEST_F(RowReaderTest, AFlippedBitNamesTheRow) {
  const auto reader = Open(4, 100);
  bytes_[static_cast<size_t>(table().offset + 8 * table().stride() + 3)] ^= 1;
  std::vector<float> to(3 * 64);
  const std::vector<int64_t> numbers = {7, 8, 9};
  const Status status = reader->Read(numbers, to.data());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("row 8"), std::string::npos)
      << status.message();
  const std::vector<int64_t> others = {7, 9, 10};
  EXPECT_TRUE(reader->Read(others, to.data()).ok());
}

// What comes for a text that was given up is not a row of the next.
TEST_F(RowReaderTest, RowsThatComeLateAreNotTakenForOthers) {
  bool held = true;
  const auto reader = RowReader::Create(std::make_unique<HeldReader>(
                                            MakeMemoryReader(bytes_, 4), &held),
                                        &table(), 100, 100)
                          .value();
  std::vector<float> to(3 * 64, -1.0f);
  EXPECT_EQ(reader->Read(std::vector<int64_t>{1, 2, 3}, to.data()).code(),
            StatusCode::kIo);
  EXPECT_EQ(reader->Read(std::vector<int64_t>{4, 5, 6}, to.data()).code(),
            StatusCode::kIo);
  held = false;
  const std::vector<int64_t> numbers = {7, 8, 9};
  ASSERT_TRUE(reader->Read(numbers, to.data()).ok());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::vector<float> expected = Expected(numbers[i]);
    EXPECT_TRUE(
        std::equal(expected.begin(), expected.end(), to.begin() + i * 64))
        << numbers[i];
  }
}

}  // namespace
}  // namespace stint

// Elastic files that were cut short or changed.

#include <gtest/gtest.h>

#include <cstring>

#include "core/base/random.h"
#include "core/platform/file.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

class DamagedElasticPackage : public testing::Test {
 protected:
  void SetUp() override {
    path_ = WriteElastic(MakeElasticModel(32), SmallShards());
    content_ = ReadFile(path_).value();
    const auto package = ReadPackage(path_);
    planes_ = package->shards->catalog.layers[1].groups[3][0].offset;
    rows_ = package->shards->catalog.tables[0].offset;
    Package restored = ReadPackage(path_).value();
    ASSERT_TRUE(RestoreShards(*restored.shards, restored.graph.get()).ok());
    expected_ = DumpWeights(restored);
  }

  static std::string DumpWeights(const Package& package) {
    std::string bytes;
    for (size_t i = 0; i < package.graph->num_values(); ++i) {
      const auto& value = package.graph->value({static_cast<int32_t>(i)});
      if (!value.constant) continue;
      bytes.append(static_cast<const char*>(value.constant->raw()),
                   value.constant->bytes());
    }
    return bytes;
  }

  // What the bytes give: an error, or the weights.
  static Result<std::string> Open(std::string_view content) {
    auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
    if (!package.ok()) return package.status();
    STINT_RETURN_IF_ERROR(
        RestoreShards(*package->shards, package->graph.get()));
    return DumpWeights(*package);
  }

  std::string path_;
  std::string content_;
  std::string expected_;
  int64_t planes_ = 0;
  int64_t rows_ = 0;
};

TEST_F(DamagedElasticPackage, PlanesAreCheckedWhenTheyAreRead) {
  std::string content = content_;
  content[planes_ + 100] ^= 4;
  auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
  ASSERT_TRUE(package.ok()) << package.status().message();
  const Status status = RestoreShards(*package->shards, package->graph.get());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("section 'planes'"), std::string::npos);
  EXPECT_NE(status.message().find("offset " + std::to_string(planes_)),
            std::string::npos);
}

TEST_F(DamagedElasticPackage, RowsAreCheckedWhenTheyAreRead) {
  std::string content = content_;
  const int64_t stride = RowFormat{32, 4}.bytes() + 4;
  content[rows_ + 7 * stride + 2] ^= 1;
  auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
  ASSERT_TRUE(package.ok()) << package.status().message();
  std::vector<float> row(32);
  EXPECT_TRUE(ReadRow(*package->shards, 0, 6, row.data()).ok());
  const Status status = ReadRow(*package->shards, 0, 7, row.data());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("row 7"), std::string::npos);
}

TEST_F(DamagedElasticPackage, ARowDoesNotPassForAnother) {
  std::string content = content_;
  const int64_t stride = RowFormat{32, 4}.bytes() + 4;
  std::memcpy(content.data() + rows_, content_.data() + rows_ + stride, stride);
  EXPECT_FALSE(Open(content).ok());
}

TEST_F(DamagedElasticPackage, EveryShortFileIsNoticed) {
  ASSERT_LT(content_.size(), 128u * 1024);
  for (size_t size = 0; size < content_.size(); ++size) {
    const auto package = ReadPackageBytes(
        store::BytesOf(std::string_view(content_).substr(0, size)), nullptr);
    ASSERT_FALSE(package.ok()) << size;
  }
}

TEST_F(DamagedElasticPackage, AFlippedBitIsNoticedOrMeansNothing) {
  Random random(1);
  int noticed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string content = content_;
    const size_t at = static_cast<size_t>(
        random.NextInt(static_cast<int64_t>(content.size())));
    content[at] = static_cast<char>(content[at] ^ (1 << random.NextInt(8)));
    const auto found = Open(content);
    noticed += found.ok() ? 0 : 1;
    if (found.ok()) {
      EXPECT_EQ(*found, expected_) << "byte " << at;
    }
  }
  EXPECT_GT(noticed, 1900);
}

TEST_F(DamagedElasticPackage, APlainFileHasNoShards) {
  std::string content = content_;
  content[8] = 1;
  const uint64_t checksum = store::Checksum(store::BytesOf(
      std::string_view(content).substr(0, store::kHeaderChecksumAt)));
  std::memcpy(content.data() + store::kHeaderChecksumAt, &checksum, 8);
  EXPECT_FALSE(Open(content).ok());
}

}  // namespace
}  // namespace stint

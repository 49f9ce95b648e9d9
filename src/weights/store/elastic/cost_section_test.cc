#include "weights/store/elastic/cost_section.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

TEST(CostSection, TimesOfOneMachineReplaceItsOwnAlone) {
  const std::string path = WriteElastic(MakeElasticModel(64), SmallShards());
  ASSERT_TRUE(AddCosts(path, path, {"a", "first"}).ok());
  ASSERT_TRUE(AddCosts(path, path, {"b", "second"}).ok());
  ASSERT_TRUE(AddCosts(path, path, {"a", "third"}).ok());
  const Package package = ReadPackage(path).value();
  ASSERT_EQ(package.shards->costs.size(), 2u);
  EXPECT_EQ(package.shards->costs[0].machine, "b");
  EXPECT_EQ(package.shards->costs[0].times, "second");
  EXPECT_EQ(package.shards->costs[1].machine, "a");
  EXPECT_EQ(package.shards->costs[1].times, "third");
}

TEST(CostSection, TheOtherFileStaysAsItIs) {
  const std::string path = WriteElastic(MakeElasticModel(64), SmallShards());
  const std::string before = ReadFile(path).value();
  const std::string other = path + ".profiled";
  ASSERT_TRUE(AddCosts(path, other, {"a", "times"}).ok());
  EXPECT_EQ(ReadFile(path).value(), before);
  EXPECT_EQ(ReadPackage(other).value().shards->costs.size(), 1u);
  EXPECT_TRUE(ReadPackage(path).value().shards->costs.empty());
}

TEST(CostSection, DamagedBytesAreRefused) {
  const std::string whole = store::EncodeCosts({{"a", "times"}, {"b", ""}});
  const auto decode = [](const std::string& bytes) {
    return store::DecodeCosts(
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  };
  ASSERT_TRUE(decode(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(decode(whole.substr(0, size)).status().code(),
              StatusCode::kDamaged)
        << size;
  }
  EXPECT_EQ(decode(whole + "x").status().code(), StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint

// Every kind of reader: the right bytes in whatever order, errors that name the
// place, and no write after it is gone.

#include "core/io/block_reader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "core/io/memory_reader.h"
#include "core/io/open_reader.h"
#include "core/io/pread_reader.h"
#include "core/io/uring_reader.h"
#include "core/platform/clock.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

constexpr int kBlocks = 64;
constexpr int kDepth = 4;
constexpr int64_t kSoon = 5'000'000'000;

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};
using Blocks = std::unique_ptr<uint8_t, Free>;

Blocks Allocate(int blocks) {
  return Blocks(static_cast<uint8_t*>(std::aligned_alloc(
      kBlockBytes, static_cast<size_t>(blocks) * kBlockBytes)));
}

std::vector<uint8_t> Content() {
  std::vector<uint8_t> bytes(kBlocks * kBlockBytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(i * 31 + i / kBlockBytes);
  }
  return bytes;
}

class BlockReaderTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = folder_.path() + "/blocks";
    content_ = Content();
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(content_.data()),
               static_cast<std::streamsize>(content_.size()));
    auto reader = Open();
    if (!reader.ok() && reader.status().code() == StatusCode::kUnsupported) {
      GTEST_SKIP() << reader.status().message();
    }
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    reader_ = std::move(*reader);
  }

  Result<std::unique_ptr<BlockReader>> Open() {
    const std::string kind = GetParam();
    if (kind == "memory") return MakeMemoryReader(content_, kDepth);
    if (kind == "pread") return OpenPreadReader(path_, kDepth, 2);
    STINT_ASSIGN_OR_RETURN(auto reader, OpenUringReader(path_, kDepth));
    if (kind == "limited") {
      return LimitRate(std::move(reader),
                       MakeSlowDevice({.bytes_per_second = 100e6}));
    }
    return reader;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::string path_;
  std::vector<uint8_t> content_;
  std::unique_ptr<BlockReader> reader_;
};

TEST_P(BlockReaderTest, ReadsEveryBlockOnceInAnyOrder) {
  const Blocks memory = Allocate(kBlocks);
  reader_->Register({memory.get(), kBlocks * kBlockBytes});
  int started = 0;
  int done = 0;
  std::vector<int> seen(kBlocks, 0);
  while (done < kBlocks) {
    for (; started < kBlocks && started - done < kDepth; ++started) {
      const int block = (started * 37 + 5) % kBlocks;  // 37 and 64 are coprime
      const int64_t at = block * kBlockBytes;
      ASSERT_TRUE(reader_
                      ->Start({at,
                               {memory.get() + at, kBlockBytes},
                               static_cast<uint64_t>(block)})
                      .ok());
    }
    auto finished = reader_->Wait(kSoon);
    ASSERT_TRUE(finished.ok() && finished->has_value());
    ASSERT_TRUE((*finished)->status.ok()) << (*finished)->status.message();
    ++seen[(*finished)->tag];
    ++done;
  }
  EXPECT_EQ(seen, std::vector<int>(kBlocks, 1));
  EXPECT_TRUE(std::equal(content_.begin(), content_.end(), memory.get()));
  EXPECT_FALSE(reader_->Wait(kSoon).value().has_value());
}

TEST_P(BlockReaderTest, NamesThePlaceWhereTheFileEnds) {
  const Blocks memory = Allocate(2);
  const int64_t last = (kBlocks - 1) * kBlockBytes;
  ASSERT_TRUE(reader_->Start({last, {memory.get(), 2 * kBlockBytes}, 7}).ok());
  auto finished = reader_->Wait(kSoon);
  ASSERT_TRUE(finished.ok() && finished->has_value());
  EXPECT_EQ((*finished)->tag, 7u);
  EXPECT_EQ((*finished)->status.code(), StatusCode::kIo);
  EXPECT_NE((*finished)->status.message().find("8192 bytes at 258048"),
            std::string::npos)
      << (*finished)->status.message();
}

TEST_P(BlockReaderTest, RefusesWhatIsNotAlignedAndMoreThanItsDepth) {
  const Blocks memory = Allocate(kDepth + 1);
  uint8_t* p = memory.get();
  EXPECT_FALSE(reader_->Start({0, {p + 1, kBlockBytes}, 0}).ok());
  EXPECT_FALSE(reader_->Start({512, {p, kBlockBytes}, 0}).ok());
  EXPECT_FALSE(reader_->Start({0, {p, 100}, 0}).ok());
  EXPECT_FALSE(reader_->Start({0, {p, size_t{0}}, 0}).ok());
  for (uint64_t i = 0; i < kDepth; ++i) {
    ASSERT_TRUE(
        reader_->Start({0, {p + i * kBlockBytes, kBlockBytes}, i}).ok());
  }
  EXPECT_EQ(
      reader_->Start({0, {p + kDepth * kBlockBytes, kBlockBytes}, 9}).code(),
      StatusCode::kResourceExhausted);
  reader_.reset();  // before the memory that it reads into
}

TEST_P(BlockReaderTest, WaitsForReadsInFlightWhenItEnds) {
  const Blocks memory = Allocate(kDepth);
  for (uint64_t i = 0; i < kDepth; ++i) {
    ASSERT_TRUE(
        reader_->Start({0, {memory.get() + i * kBlockBytes, kBlockBytes}, i})
            .ok());
  }
  reader_.reset();  // memory is freed right after; ASan would see a late write
}

INSTANTIATE_TEST_SUITE_P(Kinds, BlockReaderTest,
                         ::testing::Values("uring", "pread", "memory",
                                           "limited"));

TEST(OpenReader, SaysWhyItDoesNotUseUring) {
  const TemporaryFolder folder = TemporaryFolder::Make().value();
  const std::string path = folder.path() + "/f";
  std::ofstream(path) << "x";
  ReaderOptions options;
  options.uring = false;
  auto opened = OpenReader(path, options);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->reader->method(), "pread threads");
  EXPECT_EQ(opened->fallback, "asked for");
  EXPECT_EQ(OpenReader(path + "-none", {}).status().code(),
            StatusCode::kNotFound);
}

// 8 reads of 4096 bytes at 1 MB/s and 10 ms: 10 + 8 * 4.096 = 42.8 ms, because
// the latencies pass together.
TEST(LimitRate, TakesAsLongAsTheDevice) {
  const std::vector<uint8_t> content = Content();
  const Blocks memory = Allocate(8);
  auto reader = LimitRate(
      MakeMemoryReader(content, 8),
      MakeSlowDevice({.bytes_per_second = 1e6, .latency_ns = 10'000'000}));
  const int64_t begin = NowNs();
  for (uint64_t i = 0; i < 8; ++i) {
    ASSERT_TRUE(
        reader->Start({0, {memory.get() + i * kBlockBytes, kBlockBytes}, i})
            .ok());
  }
  EXPECT_FALSE(reader->Wait(1'000'000).value().has_value());  // too early
  for (uint64_t i = 0; i < 8; ++i) {
    auto done = reader->Wait(kSoon);
    ASSERT_TRUE(done.ok() && done->has_value());
    EXPECT_EQ((*done)->tag, i);
    EXPECT_GE(MsSince(begin), 10 + static_cast<double>(i + 1) * 4.09);
  }
}

// Ends its first read at once and the others never.
class StuckReader : public BlockReader {
 public:
  std::string_view method() const override { return "stuck"; }
  int depth() const override { return 8; }
  bool reads_without_cpu() const override { return true; }
  Status Start(const BlockRead&) override { return OkStatus(); }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    if (first_) {
      first_ = false;
      return std::optional<BlockDone>({0, OkStatus()});
    }
    SleepUntilNs(NowNs() + timeout_ns);
    return std::optional<BlockDone>();
  }

 private:
  bool first_ = true;
};

TEST(LimitRate, ALookDoesNotWaitForWhatIsNotDue) {
  const Blocks memory = Allocate(2);
  auto reader = LimitRate(std::make_unique<StuckReader>(),
                          MakeSlowDevice({.latency_ns = 200'000'000}));
  for (uint64_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(
        reader->Start({0, {memory.get() + i * kBlockBytes, kBlockBytes}, i})
            .ok());
  }
  const int64_t begin = NowNs();
  for (int look = 0; look < 3; ++look) {
    EXPECT_FALSE(reader->Wait(0).value().has_value());
  }
  EXPECT_LT(MsSince(begin), 100);
}

TEST(WaitAwake, TakesWhatIsDoneAndGivesUpInTime) {
  StuckReader reader;
  const auto done = WaitAwake(&reader, kSoon);
  ASSERT_TRUE(done.ok() && done->has_value());
  for (const int64_t timeout_ns : {1'000'000, 10'000'000}) {
    const int64_t begin = NowNs();
    EXPECT_FALSE(WaitAwake(&reader, timeout_ns).value().has_value());
    EXPECT_GE(NowNs() - begin, timeout_ns);
  }
}

TEST(ParseStorageRate, ReadsBandwidthAndLatency) {
  const auto rate = ParseStorageRate("80MB/s,1ms");
  ASSERT_TRUE(rate.ok());
  EXPECT_EQ(rate->bytes_per_second, 80e6);
  EXPECT_EQ(rate->latency_ns, 1'000'000);
  EXPECT_EQ(ParseStorageRate("1.5GB/s")->bytes_per_second, 1.5e9);
  for (const char* bad : {"", "80MB", "80/s,", "80MB/s,1", "-1MB/s", "xMB/s"}) {
    EXPECT_EQ(ParseStorageRate(bad).status().code(),
              StatusCode::kInvalidArgument)
        << bad;
  }
}

}  // namespace
}  // namespace stint

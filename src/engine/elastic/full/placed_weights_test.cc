// Weights come to the places that kernels are bound to, run after run, also
// after storage failed, stalled or gave other bytes.

#include "engine/elastic/full/placed_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "core/io/memory_reader.h"
#include "core/platform/clock.h"
#include "core/platform/temporary_folder.h"

namespace stint {
namespace {

constexpr int64_t kSoon = 5'000'000'000;

// Reads the file's content; each read ends when and as the test says.
class TestReader : public BlockReader {
 public:
  struct Faults {
    bool held = false;
    Status read;
  };
  TestReader(std::span<const uint8_t> bytes, Faults* faults)
      : reader_(MakeMemoryReader(bytes, 4)), faults_(faults) {}
  std::string_view method() const override { return "test"; }
  int depth() const override { return reader_->depth(); }
  Status Start(const BlockRead& read) override {
    reads_.push_back(read);
    return OkStatus();
  }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    if (reads_.empty()) return std::optional<BlockDone>();
    if (faults_->held) {
      SleepUntilNs(NowNs() + timeout_ns);
      return std::optional<BlockDone>();
    }
    STINT_RETURN_IF_ERROR(reader_->Start(reads_.front()));
    reads_.pop_front();
    STINT_ASSIGN_OR_RETURN(auto done, reader_->Wait(kSoon));
    if (done->status.ok()) done->status = faults_->read;
    return done;
  }

 private:
  std::unique_ptr<BlockReader> reader_;
  std::deque<BlockRead> reads_;
  Faults* const faults_;
};

// Nodes "0" to "4" with two parts each, one of them larger than a read.
class PlacedWeightsTest : public testing::Test {
 protected:
  static constexpr int kNodes = 5;

  void SetUp() override {
    const int64_t sizes[] = {5000, 300, (2 << 20) + 777, 12288, 40000};
    std::string content(1000, 'h');
    std::vector<std::pair<int64_t, int64_t>> parts;
    for (int i = 0; i < 2 * kNodes; ++i) {
      const int64_t bytes = sizes[i % 5] / 4 * 4;
      parts.emplace_back(static_cast<int64_t>(content.size()), bytes);
      for (int64_t b = 0; b < bytes; ++b) {
        content.push_back(static_cast<char>(1 + (b * 7 + b / 4096 + i) % 250));
      }
    }
    const std::string path = folder_.path() + "/weights";
    ASSERT_TRUE(WriteFileAtomically(path, content).ok());
    file_ = MappedFile::Open(path).value();
    bytes_.assign(content.begin(), content.end());
    bytes_.resize((bytes_.size() + 4095) / 4096 * 4096);
    for (int i = 0; i < 2 * kNodes; ++i) {
      const auto [begin, size] = parts[static_cast<size_t>(i)];
      packed_[std::to_string(i / 2)].parts.push_back(
          Tensor::Borrow(DType::kFloat32, {size / 4},
                         const_cast<uint8_t*>(file_->bytes().data()) + begin));
    }
    for (int n = 0; n < kNodes; ++n) nodes_.push_back(std::to_string(n));
  }

  std::unique_ptr<PlacedWeights> Open() {
    auto placed = PlacedWeights::Create(
        file_, std::make_unique<TestReader>(bytes_, &faults_), packed_,
        nullptr);
    EXPECT_TRUE(placed.ok()) << placed.status().message();
    return std::move(placed).value();
  }
  std::unique_ptr<PlacedWeights> OpenStreaming() {
    auto placed = Open();
    int64_t largest = 0;
    for (const auto& node : nodes_) {
      largest = std::max(largest, placed->BytesOf(node));
    }
    EXPECT_TRUE(placed->Stream(nodes_, largest).ok());
    return placed;
  }
  void ExpectWeightsOf(const PlacedWeights& placed, const std::string& node) {
    const auto& parts = placed.packed().find(node)->second.parts;
    const auto& from = packed_.find(node)->second.parts;
    for (size_t i = 0; i < parts.size(); ++i) {
      EXPECT_EQ(std::memcmp(parts[i].raw(), from[i].raw(), from[i].bytes()), 0)
          << "node " << node << " part " << i;
    }
  }
  Status Run(PlacedWeights* placed) {
    placed->BeginRun();
    Status status;
    for (const std::string& node : nodes_) {
      status = placed->Await(node, kSoon);
      if (!status.ok()) break;
      ExpectWeightsOf(*placed, node);
      placed->Release(node);
    }
    placed->EndRun();
    return status;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  std::shared_ptr<const MappedFile> file_;
  std::vector<uint8_t> bytes_;  // what storage has
  PackedTable packed_;
  std::vector<std::string> nodes_;
  TestReader::Faults faults_;
};

TEST_F(PlacedWeightsTest, ComeInEveryRun) {
  const auto placed = OpenStreaming();
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(Run(placed.get()).ok());
  EXPECT_EQ(placed->counts().bytes_read, 3 * placed->bytes());
}

TEST_F(PlacedWeightsTest, AreReadOnceToStay) {
  const auto placed = Open();
  ASSERT_TRUE(placed->ReadAll(nodes_).ok());
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(Run(placed.get()).ok());
  EXPECT_EQ(placed->counts().bytes_read, placed->bytes());
}

TEST_F(PlacedWeightsTest, ThatSeveralNodesReadStay) {
  packed_["4"] = packed_["1"];
  const auto placed = OpenStreaming();
  for (int run = 0; run < 2; ++run) EXPECT_TRUE(Run(placed.get()).ok());
}

TEST_F(PlacedWeightsTest, ComeAfterAFailedRead) {
  const auto placed = OpenStreaming();
  faults_.read = IoError("injected");
  EXPECT_EQ(Run(placed.get()).message(), "injected");
  faults_.read = OkStatus();
  EXPECT_TRUE(Run(placed.get()).ok());
}

TEST_F(PlacedWeightsTest, ThatAreNotAsTheyWereNameThePlace) {
  const auto placed = OpenStreaming();
  constexpr size_t kAt = 1'000'000;
  bytes_[kAt] ^= 1;
  const Status status = Run(placed.get());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("at offset "), std::string::npos)
      << status.message();
  bytes_[kAt] ^= 1;
  EXPECT_TRUE(Run(placed.get()).ok());
}

TEST_F(PlacedWeightsTest, OfAFileThatBecameShorterAreAnError) {
  auto placed =
      PlacedWeights::Create(file_,
                            std::make_unique<TestReader>(
                                std::span(bytes_).first(1 << 20), &faults_),
                            packed_, nullptr)
          .value();
  const Status status = placed->ReadAll(nodes_);
  EXPECT_EQ(status.code(), StatusCode::kIo) << status.message();
}

// What comes after a run was given up must not be taken for the next one's,
// nor go with pages that it gives back.
TEST_F(PlacedWeightsTest, ThatComeLateDoNotDisturbTheNextRun) {
  const auto placed = OpenStreaming();
  for (int run = 0; run < 3; ++run) {
    faults_.held = true;
    placed->BeginRun();
    EXPECT_TRUE(placed->Await("0", kSoon).ok());  // smaller than a page
    placed->Release("0");
    EXPECT_EQ(placed->Await("1", 1'000'000).code(), StatusCode::kCancelled);
    placed->EndRun();
    faults_.held = false;
    EXPECT_TRUE(Run(placed.get()).ok());
  }
}

TEST_F(PlacedWeightsTest, AreAwaitedInTheOrderOfNodes) {
  const auto placed = OpenStreaming();
  placed->BeginRun();
  EXPECT_EQ(placed->Await("3", kSoon).message(), "node '3' runs out of order");
  EXPECT_TRUE(placed->Await("not packed", kSoon).ok());
  placed->EndRun();
  EXPECT_TRUE(Run(placed.get()).ok());
}

}  // namespace
}  // namespace stint

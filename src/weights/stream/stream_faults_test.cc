// Storage that fails, stalls or answers late: a run ends with an error, memory
// stays as long as something may be written to it, and a later run works.

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/base/checksum.h"
#include "core/base/random.h"
#include "core/platform/clock.h"
#include "weights/stream/unit_stream.h"

namespace stint {
namespace {

constexpr int64_t kSoon = 5'000'000'000;
constexpr int64_t kMs = 1'000'000;

// What the test does to reads from now on.
struct Faults {
  int64_t answers_at_ns = 0;  // nothing is done before; INT64_MAX: held
  Status start;               // what Start returns
  Status read;                // what reads end with
  int64_t file_bytes = INT64_MAX;
  int writes = 0;  // reads that were done

  void Hold() { answers_at_ns = INT64_MAX; }
  void Answer() { answers_at_ns = 0; }
};

// Writes when a read ends, and at the latest when it is destroyed: what a
// device does that is late.
class FaultReader : public BlockReader {
 public:
  FaultReader(std::span<const uint8_t> bytes, Faults* faults)
      : bytes_(bytes), faults_(faults) {}
  ~FaultReader() override {
    for (const BlockRead& read : reads_) Copy(read);
  }
  std::string_view method() const override { return "faults"; }
  int depth() const override { return 3; }
  Status Start(const BlockRead& read) override {
    STINT_RETURN_IF_ERROR(faults_->start);
    reads_.push_back(read);
    return OkStatus();
  }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    const int64_t now = NowNs();
    if (reads_.empty()) return std::optional<BlockDone>();
    if (faults_->answers_at_ns > now) {
      SleepUntilNs(std::min(now + timeout_ns, faults_->answers_at_ns));
      if (faults_->answers_at_ns > NowNs()) return std::optional<BlockDone>();
    }
    const BlockRead read = reads_.front();
    reads_.pop_front();
    Copy(read);
    const auto end = read.offset + static_cast<int64_t>(read.to.size());
    if (end > faults_->file_bytes) {
      return std::optional<BlockDone>({read.tag, IoError("the file ends")});
    }
    return std::optional<BlockDone>({read.tag, faults_->read});
  }

 private:
  void Copy(const BlockRead& read) {
    ++faults_->writes;
    std::copy_n(bytes_.begin() + read.offset, read.to.size(), read.to.begin());
  }
  const std::span<const uint8_t> bytes_;
  Faults* const faults_;
  std::deque<BlockRead> reads_;
};

// No byte of the file is 0; pages that were given back are.
bool InMemory(const uint8_t* at) { return *at != 0; }

// Through a ring, and at places of their own.
class StreamFaults : public testing::TestWithParam<bool> {
 protected:
  static constexpr int kStages = 5;

  void SetUp() override {
    Random random(7);
    for (int stage = 0; stage < kStages; ++stage) {
      setup_.stages.emplace_back();
      for (int i = 0; i < 3; ++i) AddUnit(&random, (1 + (stage + i) % 4));
    }
    if (GetParam()) setup_.placed_bytes = static_cast<int64_t>(bytes_.size());
    setup_.ring_bytes = UnitStream::RingBytesFor(setup_);
    setup_.request_bytes = 2 * kBlockBytes;
    setup_.read_timeout_ns = 50 * kMs;
  }
  void AddUnit(Random* random, int blocks) {
    const int64_t size = blocks * kBlockBytes;
    StreamUnit unit{static_cast<int64_t>(bytes_.size()), size, 0, false};
    for (int64_t b = 0; b < size; ++b) {
      bytes_.push_back(static_cast<uint8_t>(random->NextU64() | 1));
    }
    unit.checksum =
        Checksum(std::span(bytes_).subspan(static_cast<size_t>(unit.offset)));
    setup_.stages.back().push_back(static_cast<int>(setup_.units.size()));
    setup_.units.push_back(unit);
  }
  void Pin(int stage, bool pinned = true) {
    for (int unit : setup_.stages[static_cast<size_t>(stage)]) {
      setup_.units[static_cast<size_t>(unit)].pinned = pinned;
    }
  }
  std::unique_ptr<UnitStream> Open() {
    auto stream = UnitStream::Create(
        std::make_unique<FaultReader>(bytes_, &faults_), setup_);
    EXPECT_TRUE(stream.ok()) << stream.status().message();
    return std::move(stream).value();
  }
  // One run; the bytes of every stage are compared while it has them.
  Status Run(UnitStream* stream) {
    stream->BeginRun();
    Status status;
    for (size_t s = 0; s < setup_.stages.size() && status.ok(); ++s) {
      status = stream->Await(static_cast<int>(s), kSoon);
      if (!status.ok()) break;
      for (int unit : setup_.stages[s]) {
        const StreamUnit& u = setup_.units[static_cast<size_t>(unit)];
        EXPECT_TRUE(std::equal(bytes_.begin() + u.offset,
                               bytes_.begin() + u.offset + u.bytes,
                               stream->Data(unit)))
            << "unit " << unit;
      }
      stream->Release(static_cast<int>(s));
    }
    stream->EndRun();
    return status;
  }
  // A run that gives up while all its reads are under way.
  void GiveUp(UnitStream* stream) {
    faults_.Hold();
    stream->BeginRun();
    EXPECT_EQ(stream->Await(0, kMs).code(), StatusCode::kCancelled);
    const int64_t start = NowNs();
    stream->EndRun();
    EXPECT_LT(MsSince(start), 1000);
  }
  // Pages of units that take memory; of a ring, those of pinned units.
  int PagesHere(const UnitStream& stream) const {
    int pages = 0;
    for (size_t at = 0; at < bytes_.size(); at += kBlockBytes) {
      pages += InMemory(stream.Place(static_cast<int64_t>(at))) ? 1 : 0;
    }
    return pages;
  }

  std::vector<uint8_t> bytes_;
  StreamSetup setup_;
  Faults faults_;
};

TEST_P(StreamFaults, AFailedReadEndsTheRunAndNotTheNext) {
  const auto stream = Open();
  faults_.read = IoError("injected");
  EXPECT_EQ(Run(stream.get()).message(), "injected");
  faults_.read = OkStatus();
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_EQ(PagesHere(*stream), 0);
}

TEST_P(StreamFaults, AReadThatCannotBeginEndsTheRunAndNotTheNext) {
  const auto stream = Open();
  faults_.start = IoError("injected");
  EXPECT_EQ(Run(stream.get()).message(), "injected");
  faults_.start = OkStatus();
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_EQ(PagesHere(*stream), 0);
}

TEST_P(StreamFaults, AFileThatEndsEarlyIsAnError) {
  const auto stream = Open();
  faults_.file_bytes = static_cast<int64_t>(bytes_.size()) / 2;
  EXPECT_EQ(Run(stream.get()).message(), "the file ends");
  faults_.file_bytes = INT64_MAX;
  EXPECT_TRUE(Run(stream.get()).ok());
}

TEST_P(StreamFaults, AFlippedBitEndsTheRunAndNotTheNext) {
  const auto stream = Open();
  const StreamUnit& unit = setup_.units[7];
  bytes_[static_cast<size_t>(unit.offset) + 99] ^= 4;
  const Status status = Run(stream.get());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("offset " + std::to_string(unit.offset)),
            std::string::npos)
      << status.message();
  bytes_[static_cast<size_t>(unit.offset) + 99] ^= 4;
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_EQ(PagesHere(*stream), 0);
}

TEST_P(StreamFaults, TheNextRunWaitsForLateReads) {
  setup_.read_timeout_ns = kSoon;  // however busy the machine is
  const auto stream = Open();
  GiveUp(stream.get());
  EXPECT_EQ(faults_.writes, 0);
  faults_.answers_at_ns = NowNs() + 20 * kMs;
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_EQ(PagesHere(*stream), 0);
}

TEST_P(StreamFaults, ARunThatEndsInTheMiddleLeavesNothingBehind) {
  const auto stream = Open();
  for (int stages = 0; stages < kStages; ++stages) {
    stream->BeginRun();
    for (int s = 0; s < stages; ++s) {
      ASSERT_TRUE(stream->Await(s, kSoon).ok());
      stream->Release(s);
    }
    faults_.Hold();
    stream->EndRun();
    faults_.Answer();
    stream->BeginRun();
    stream->EndRun();
    EXPECT_EQ(PagesHere(*stream), 0) << stages;
    EXPECT_TRUE(Run(stream.get()).ok()) << stages;
  }
}

TEST_P(StreamFaults, StorageThatDoesNotAnswerIsGivenUpUntilItDoes) {
  const auto stream = Open();
  faults_.Hold();
  for (int run = 0; run < 3; ++run) {
    const int64_t start = NowNs();
    const Status status = Run(stream.get());
    EXPECT_EQ(status.code(), StatusCode::kIo);
    EXPECT_EQ(status.message(), "storage does not answer");
    EXPECT_LT(MsSince(start), 4000);
  }
  EXPECT_EQ(faults_.writes, 0);
  faults_.Answer();
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_TRUE(Run(stream.get()).ok());
}

// Its memory would be another's by the time that the read writes.
TEST_P(StreamFaults, NothingChangesWhileReadsAreLate) {
  const auto stream = Open();
  GiveUp(stream.get());
  StreamSetup larger = setup_;
  larger.ring_bytes += 16 * kBlockBytes;
  EXPECT_EQ(stream->Change(larger).message(), "storage does not answer");
  EXPECT_EQ(stream->ReadPinned().message(), "storage does not answer");
  stream->DropRing();  // cannot
  EXPECT_EQ(faults_.writes, 0);
  faults_.Answer();
  EXPECT_TRUE(Run(stream.get()).ok());
  EXPECT_TRUE(stream->Change(larger).ok());
  EXPECT_TRUE(Run(stream.get()).ok());
}

TEST_P(StreamFaults, AChangeInTheMiddleOfARunWaitsForItsReads) {
  setup_.read_timeout_ns = kSoon;
  const auto stream = Open();
  for (int64_t blocks : {16, 4, 20}) {
    faults_.Hold();
    stream->BeginRun();
    faults_.answers_at_ns = NowNs() + 5 * kMs;
    StreamSetup other = setup_;
    other.ring_bytes += blocks * kBlockBytes;
    ASSERT_TRUE(stream->Change(other).ok());
    EXPECT_TRUE(Run(stream.get()).ok());
    EXPECT_EQ(PagesHere(*stream), 0);
  }
}

// The reader writes when it is destroyed.
TEST_P(StreamFaults, MemoryOutlivesReadsThatAreLate) {
  auto stream = Open();
  GiveUp(stream.get());
  stream.reset();
  EXPECT_GT(faults_.writes, 0);
}

TEST_P(StreamFaults, PinnedUnitsComeAfterErrors) {
  Pin(1);
  Pin(3);
  const auto stream = Open();
  const size_t bad = static_cast<size_t>(setup_.units[10].offset) + 5;
  faults_.read = IoError("injected");
  EXPECT_EQ(stream->ReadPinned().message(), "injected");
  faults_.read = OkStatus();
  EXPECT_EQ(PagesHere(*stream), 0);
  bytes_[bad] ^= 1;
  EXPECT_EQ(stream->ReadPinned().code(), StatusCode::kDamaged);
  bytes_[bad] ^= 1;
  EXPECT_TRUE(stream->ReadPinned().ok());
  EXPECT_TRUE(Run(stream.get()).ok());
}

TEST_P(StreamFaults, PinnedUnitsThatComeLateAreNotTakenForOthers) {
  Pin(0);
  Pin(2);
  const auto stream = Open();
  faults_.Hold();
  EXPECT_EQ(stream->ReadPinned().message(), "storage does not answer");
  faults_.Answer();
  ASSERT_TRUE(stream->ReadPinned().ok());
  EXPECT_TRUE(Run(stream.get()).ok());
  Pin(0, false);
  Pin(2, false);
  setup_.ring_bytes = UnitStream::RingBytesFor(setup_);
  ASSERT_TRUE(stream->Change(setup_).ok());
  EXPECT_EQ(PagesHere(*stream), 0);
  EXPECT_TRUE(Run(stream.get()).ok());
}

TEST_P(StreamFaults, ARunWithoutTheRingIsRefused) {
  const auto stream = Open();
  stream->DropRing();
  EXPECT_EQ(Run(stream.get()).ok(), GetParam());  // there is none to miss
  ASSERT_TRUE(stream->Change(setup_).ok());
  EXPECT_TRUE(Run(stream.get()).ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, StreamFaults, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Placed" : "Ring";
                         });

// No more than the limit is in memory at a time, and nothing afterwards.
TEST(PlacedStream, StaysWithinItsLimit) {
  constexpr int kStages = 8;
  const std::vector<uint8_t> bytes(kStages * 2 * kBlockBytes, 3);
  Faults faults;
  StreamSetup setup;
  setup.placed_bytes = static_cast<int64_t>(bytes.size());
  setup.ring_bytes = 4 * kBlockBytes;
  for (int i = 0; i < kStages; ++i) {
    setup.stages.push_back({i});
    setup.units.push_back({i * 2 * kBlockBytes, 2 * kBlockBytes,
                           Checksum(std::span(bytes).first(2 * kBlockBytes)),
                           false});
  }
  const auto stream =
      UnitStream::Create(std::make_unique<FaultReader>(bytes, &faults), setup);
  ASSERT_TRUE(stream.ok());
  const auto pages = [&] {
    int here = 0;
    for (int i = 0; i < 2 * kStages; ++i) {
      here += InMemory((*stream)->Place(i * kBlockBytes)) ? 1 : 0;
    }
    return here;
  };
  for (int run = 0; run < 2; ++run) {
    (*stream)->BeginRun();
    for (int s = 0; s < kStages; ++s) {
      ASSERT_TRUE((*stream)->Await(s, kSoon).ok());
      EXPECT_LE(pages(), 4);
      EXPECT_EQ((*stream)->Data(s), (*stream)->Place(s * 2 * kBlockBytes));
      EXPECT_EQ((*stream)->Data(s)[kBlockBytes], 3);
      (*stream)->Release(s);
    }
    (*stream)->EndRun();
    EXPECT_EQ(pages(), 0);
  }
}

}  // namespace
}  // namespace stint

// Units arrive whole and checked, in a ring that never holds more than it has
// room for; errors end a run and not the stream.

#include "weights/stream/unit_stream.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "core/base/checksum.h"
#include "core/base/random.h"
#include "core/io/memory_reader.h"
#include "core/io/storage_rate.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

constexpr int64_t kSoon = 5'000'000'000;

// Reads that fail where and when the test says so.
class FaultyReader : public BlockReader {
 public:
  FaultyReader(std::unique_ptr<BlockReader> reader,
               std::function<Status(int64_t offset)> fault)
      : reader_(std::move(reader)), fault_(std::move(fault)) {}
  std::string_view method() const override { return "faulty"; }
  int depth() const override { return reader_->depth(); }
  Status Start(const BlockRead& read) override {
    offsets_[read.tag] = read.offset;
    return reader_->Start(read);
  }
  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    STINT_ASSIGN_OR_RETURN(auto done, reader_->Wait(timeout_ns));
    if (done.has_value() && done->status.ok()) {
      done->status = fault_(offsets_[done->tag]);
    }
    return done;
  }

 private:
  std::unique_ptr<BlockReader> reader_;
  std::function<Status(int64_t)> fault_;
  std::map<uint64_t, int64_t> offsets_;
};

// A file of units of 1 to 4 blocks, three to a stage.
struct StreamFile {
  explicit StreamFile(int stages) {
    Random random(7);
    for (int stage = 0; stage < stages; ++stage) {
      setup.stages.emplace_back();
      for (int i = 0; i < 3; ++i) {
        const int64_t size = (1 + (stage + i) % 4) * kBlockBytes;
        StreamUnit unit{static_cast<int64_t>(bytes.size()), size, 0, false};
        for (int64_t b = 0; b < size; ++b) {
          bytes.push_back(static_cast<uint8_t>(random.NextU64()));
        }
        unit.checksum = Checksum(
            std::span(bytes).subspan(static_cast<size_t>(unit.offset)));
        setup.stages.back().push_back(static_cast<int>(setup.units.size()));
        setup.units.push_back(unit);
      }
    }
    setup.ring_bytes = UnitStream::RingBytesFor(setup);
  }

  std::unique_ptr<UnitStream> Open() {
    return OpenWith(MakeMemoryReader(bytes, 4));
  }
  std::unique_ptr<UnitStream> OpenWith(std::unique_ptr<BlockReader> reader) {
    auto stream = UnitStream::Create(std::move(reader), setup);
    EXPECT_TRUE(stream.ok()) << stream.status().message();
    return std::move(stream).value();
  }

  // One run; the bytes of every stage are compared while it has them.
  Status Run(UnitStream* stream) {
    stream->BeginRun();
    Status status;
    for (size_t s = 0; s < setup.stages.size() && status.ok(); ++s) {
      status = stream->Await(static_cast<int>(s), kSoon);
      if (!status.ok()) break;
      for (int unit : setup.stages[s]) {
        const StreamUnit& u = setup.units[static_cast<size_t>(unit)];
        EXPECT_TRUE(std::equal(bytes.begin() + u.offset,
                               bytes.begin() + u.offset + u.bytes,
                               stream->Data(unit)))
            << "unit " << unit;
      }
      stream->Release(static_cast<int>(s));
    }
    stream->EndRun();
    return status;
  }

  std::vector<uint8_t> bytes;
  StreamSetup setup;
};

TEST(UnitStream, BringsEveryUnitInTheSmallestRing) {
  StreamFile file(9);
  const auto stream = file.Open();
  for (int run = 0; run < 3; ++run) EXPECT_TRUE(file.Run(stream.get()).ok());
  EXPECT_EQ(stream->counts().bytes_read,
            3 * static_cast<int64_t>(file.bytes.size()));
}

TEST(UnitStream, RefusesARingThatAStageDoesNotFit) {
  StreamFile file(3);
  file.setup.ring_bytes -= kBlockBytes;
  EXPECT_EQ(UnitStream::Create(MakeMemoryReader(file.bytes, 4), file.setup)
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(UnitStream, ReadsNeighborsTogetherWhereTheRingAllowsIt) {
  StreamFile file(4);
  file.setup.ring_bytes = 64 * kBlockBytes;
  const auto all = file.Open();
  EXPECT_TRUE(file.Run(all.get()).ok());
  EXPECT_EQ(all->counts().requests, 1);
  file.setup.request_bytes = kBlockBytes;  // no two units are that small
  const auto one = file.Open();
  EXPECT_TRUE(file.Run(one.get()).ok());
  EXPECT_EQ(one->counts().requests, 12);
}

TEST(UnitStream, PinnedUnitsAreReadOnce) {
  StreamFile file(3);
  for (int unit : file.setup.stages[0]) {
    file.setup.units[static_cast<size_t>(unit)].pinned = true;
  }
  const auto stream = file.Open();
  ASSERT_TRUE(stream->ReadPinned().ok());
  const int64_t pinned = stream->counts().bytes_read;
  EXPECT_GT(pinned, 0);
  EXPECT_TRUE(file.Run(stream.get()).ok());
  EXPECT_TRUE(file.Run(stream.get()).ok());
  const auto total = static_cast<int64_t>(file.bytes.size());
  EXPECT_EQ(stream->counts().bytes_read, pinned + 2 * (total - pinned));
}

TEST(UnitStream, AChangeReadsOnlyWhatIsMissing) {
  StreamFile file(4);
  const auto pin = [&](int stage, bool pinned) {
    int64_t bytes = 0;
    for (int unit : file.setup.stages[static_cast<size_t>(stage)]) {
      StreamUnit& u = file.setup.units[static_cast<size_t>(unit)];
      u.pinned = pinned;
      bytes += u.bytes;
    }
    return bytes;
  };
  const int64_t first = pin(0, true);
  const auto stream = file.Open();
  ASSERT_TRUE(stream->ReadPinned().ok());
  EXPECT_EQ(stream->counts().bytes_read, first);
  const int64_t third = pin(2, true);
  ASSERT_TRUE(stream->Change(file.setup).ok());
  ASSERT_TRUE(stream->ReadPinned().ok());
  EXPECT_EQ(stream->counts().bytes_read, first + third);
  EXPECT_TRUE(file.Run(stream.get()).ok());
  // What is no longer pinned is streamed; a larger ring holds it.
  pin(0, false);
  file.setup.ring_bytes = 32 * kBlockBytes;
  ASSERT_TRUE(stream->Change(file.setup).ok());
  const int64_t before = stream->counts().bytes_read;
  ASSERT_TRUE(stream->ReadPinned().ok());
  EXPECT_EQ(stream->counts().bytes_read, before);
  EXPECT_TRUE(file.Run(stream.get()).ok());
  EXPECT_EQ(stream->counts().bytes_read - before,
            static_cast<int64_t>(file.bytes.size()) - third);
}

TEST(UnitStream, AChangeThatDoesNotFitLeavesThePlanAsItWas) {
  StreamFile file(3);
  const auto stream = file.Open();
  StreamSetup small = file.setup;
  small.ring_bytes = kBlockBytes;
  EXPECT_EQ(stream->Change(small).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(file.Run(stream.get()).ok());
}

TEST(UnitStream, AFlippedBitIsAnErrorThatNamesThePlace) {
  StreamFile file(4);
  const StreamUnit& unit = file.setup.units[7];
  file.bytes[static_cast<size_t>(unit.offset) + 99] ^= 4;
  const auto stream = file.Open();
  Status status = file.Run(stream.get());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("offset " + std::to_string(unit.offset)),
            std::string::npos)
      << status.message();
  file.bytes[static_cast<size_t>(unit.offset) + 99] ^= 4;
  EXPECT_TRUE(file.Run(stream.get()).ok());  // the stream is still usable
}

TEST(UnitStream, ChecksByThreadsNameTheFirstPlace) {
  StreamFile file(4);
  ThreadPool pool(2);
  const int64_t offset = file.setup.units[3].offset;
  const auto flip = [&] {
    for (size_t unit : {5, 4, 3}) {  // of one stage
      file.bytes[static_cast<size_t>(file.setup.units[unit].offset)] ^= 1;
    }
  };
  flip();
  const auto stream =
      UnitStream::Create(MakeMemoryReader(file.bytes, 4), file.setup, &pool);
  ASSERT_TRUE(stream.ok());
  const Status status = file.Run(stream->get());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("offset " + std::to_string(offset) + " "),
            std::string::npos)
      << status.message();
  flip();
  EXPECT_TRUE(file.Run(stream->get()).ok());
  EXPECT_EQ((*stream)->counts().checked_bytes % kBlockBytes, 0);
  EXPECT_GT((*stream)->counts().checked_bytes, 0);
}

TEST(UnitStream, AFailedReadEndsTheRunAndNotTheStream) {
  StreamFile file(5);
  int failures = 2;
  const auto stream = file.OpenWith(std::make_unique<FaultyReader>(
      MakeMemoryReader(file.bytes, 2), [&](int64_t offset) {
        if (offset < kBlockBytes * 5 || failures == 0) return OkStatus();
        --failures;
        return IoError("injected");
      }));
  EXPECT_EQ(file.Run(stream.get()).code(), StatusCode::kIo);
  EXPECT_EQ(file.Run(stream.get()).code(), StatusCode::kIo);
  EXPECT_TRUE(file.Run(stream.get()).ok());
}

TEST(UnitStream, GivesUpWaitingWhenTheTimeIsUp) {
  StreamFile file(3);
  const auto stream =
      file.OpenWith(LimitRate(MakeMemoryReader(file.bytes, 2),
                              MakeSlowDevice({.latency_ns = 50'000'000})));
  stream->BeginRun();
  const int64_t start = NowNs();
  EXPECT_EQ(stream->Await(0, 1'000'000).code(), StatusCode::kCancelled);
  EXPECT_LT(MsSince(start), 40);
  stream->EndRun();
  EXPECT_TRUE(file.Run(stream.get()).ok());
}

// Stages take 4 ms to read and 4 ms to compute. Behind one another that is 8 ms
// a stage; with a ring for two the reading hides behind the computation.
TEST(UnitStream, ReadsAheadWhileAStageComputes) {
  constexpr int kStages = 12;
  StreamFile file(kStages);
  file.setup.ring_bytes = 48 * kBlockBytes;
  file.setup.request_bytes = kBlockBytes;
  const double per_stage =
      static_cast<double>(file.bytes.size()) / kStages / 4e-3;
  const auto stream =
      file.OpenWith(LimitRate(MakeMemoryReader(file.bytes, 4),
                              MakeSlowDevice({.bytes_per_second = per_stage})));
  // The quickest of a few: others may compute here.
  double ms = 1e9;
  for (int run = 0; run < 5 && ms > 6.0 * kStages; ++run) {
    stream->BeginRun();
    const int64_t start = NowNs();
    for (int s = 0; s < kStages; ++s) {
      ASSERT_TRUE(stream->Await(s, kSoon).ok());
      SleepUntilNs(NowNs() + 4'000'000);
      stream->Release(s);
    }
    ms = std::min(ms, MsSince(start));
    stream->EndRun();
  }
  EXPECT_GE(ms, 4.0 * kStages);
  EXPECT_LT(ms, 7.0 * kStages);  // 4.3 where nothing else runs
}

TEST(UnitStream, ARunMayEndEarly) {
  StreamFile file(6);
  const auto stream = file.Open();
  stream->BeginRun();
  ASSERT_TRUE(stream->Await(0, kSoon).ok());
  stream->EndRun();
  EXPECT_TRUE(file.Run(stream.get()).ok());
  stream->BeginRun();  // destroyed while it reads
}

TEST(RingSpace, NeverGivesAPieceTwice) {
  RingSpace space(10);
  EXPECT_EQ(space.Take(4), 0);
  EXPECT_EQ(space.Take(4), 4);
  EXPECT_FALSE(space.Take(3).has_value());
  space.GiveBack();
  EXPECT_EQ(space.Take(3), 0);  // two at the end are left over
  EXPECT_FALSE(space.Take(2).has_value());
  space.GiveBackLast();
  EXPECT_EQ(space.Take(2), 8);
  EXPECT_EQ(space.Take(4), 0);
  EXPECT_FALSE(space.Take(1).has_value());
  space.GiveBack();
  EXPECT_EQ(space.Take(4), 4);
  EXPECT_FALSE(space.Take(11).has_value());
}

}  // namespace
}  // namespace stint

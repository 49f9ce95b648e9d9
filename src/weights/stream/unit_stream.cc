#include "weights/stream/unit_stream.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include "core/base/checksum.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

// A device that does not answer for so long is given up.
constexpr int64_t kReadTimeoutNs = 30'000'000'000;
// Short beside the reading of a layer, long beside a look at the ring.
constexpr int64_t kLookForRoomNs = 100'000;

int64_t LargestUnit(const StreamSetup& setup) {
  int64_t largest = 0;
  for (const StreamUnit& unit : setup.units) {
    if (!unit.pinned) largest = std::max(largest, unit.bytes);
  }
  return largest;
}

}  // namespace

void UnitStream::FreeBlocks::operator()(uint8_t* p) const { std::free(p); }

UnitStream::Blocks UnitStream::AllocateBlocks(int64_t bytes) {
  return Blocks(static_cast<uint8_t*>(
      std::aligned_alloc(kBlockBytes, static_cast<size_t>(bytes))));
}

int64_t UnitStream::RingBytesFor(const StreamSetup& setup) {
  int64_t most = 0;
  for (const std::vector<int>& stage : setup.stages) {
    int64_t together = 0;
    for (int unit : stage) {
      const StreamUnit& u = setup.units[static_cast<size_t>(unit)];
      if (!u.pinned) together += u.bytes;
    }
    most = std::max(most, together);
  }
  return most == 0 ? 0 : RingSpace::BytesFor(most, LargestUnit(setup));
}

UnitStream::UnitStream(std::unique_ptr<BlockReader> reader, StreamSetup setup)
    : reader_(std::move(reader)),
      setup_(std::move(setup)),
      places_(setup_.units.size(), nullptr),
      pinned_here_(setup_.units.size(), false),
      space_(setup_.ring_bytes),
      batches_(static_cast<size_t>(reader_->depth())) {
  for (const std::vector<int>& stage : setup_.stages) {
    for (int unit : stage) {
      if (!setup_.units[static_cast<size_t>(unit)].pinned) {
        order_.push_back(unit);
      }
    }
    stage_end_.push_back(static_cast<int>(order_.size()));
  }
  here_.assign(order_.size(), false);
}

Result<std::unique_ptr<UnitStream>> UnitStream::Create(
    std::unique_ptr<BlockReader> reader, StreamSetup setup) {
  const int64_t least = RingBytesFor(setup);
  if (setup.ring_bytes < least || setup.ring_bytes % kBlockBytes != 0) {
    return InvalidArgument("a ring of " + std::to_string(setup.ring_bytes) +
                           " bytes, expected a multiple of " +
                           std::to_string(kBlockBytes) + " and at least " +
                           std::to_string(least));
  }
  std::unique_ptr<UnitStream> stream(
      new UnitStream(std::move(reader), std::move(setup)));
  STINT_RETURN_IF_ERROR(stream->Allocate());
  stream->thread_ = std::thread([s = stream.get()] { s->ReadLoop(); });
  return stream;
}

Status UnitStream::Allocate() {
  int64_t pinned = 0;
  for (const StreamUnit& unit : setup_.units) {
    if (unit.pinned) pinned += unit.bytes;
  }
  ring_ = AllocateBlocks(std::max(kBlockBytes, setup_.ring_bytes));
  pinned_memory_ = AllocateBlocks(std::max(kBlockBytes, pinned));
  if (ring_ == nullptr || pinned_memory_ == nullptr) {
    return ResourceExhausted("no memory for " + std::to_string(pinned) +
                             " bytes of pinned weights and a ring of " +
                             std::to_string(setup_.ring_bytes));
  }
  uint8_t* place = pinned_memory_.get();
  for (size_t i = 0; i < setup_.units.size(); ++i) {
    if (!setup_.units[i].pinned) continue;
    places_[i] = place;
    place += setup_.units[i].bytes;
  }
  if (setup_.ring_bytes > 0) {
    reader_->Register({ring_.get(), static_cast<size_t>(setup_.ring_bytes)});
  }
  return OkStatus();
}

UnitStream::~UnitStream() {
  if (!thread_.joinable()) return;
  EndRun();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_reader_.notify_one();
  thread_.join();
}

Status UnitStream::Check(int unit) const {
  const StreamUnit& u = setup_.units[static_cast<size_t>(unit)];
  const uint8_t* data = places_[static_cast<size_t>(unit)];
  if (Checksum({data, static_cast<size_t>(u.bytes)}) == u.checksum) {
    return OkStatus();
  }
  return Damaged("weights at " + std::to_string(u.offset) + ", " +
                 std::to_string(u.bytes) + " bytes: wrong checksum");
}

Status UnitStream::ReadPinned() {
  for (size_t i = 0; i < setup_.units.size(); ++i) {
    const StreamUnit& unit = setup_.units[i];
    if (!unit.pinned || pinned_here_[i]) continue;
    const BlockRead read{
        unit.offset, {places_[i], static_cast<size_t>(unit.bytes)}, 0};
    STINT_RETURN_IF_ERROR(reader_->Start(read));
    STINT_ASSIGN_OR_RETURN(const auto done, reader_->Wait(kReadTimeoutNs));
    if (!done.has_value()) return IoError("storage does not answer");
    STINT_RETURN_IF_ERROR(done->status);
    STINT_RETURN_IF_ERROR(Check(static_cast<int>(i)));
    pinned_here_[i] = true;
    std::lock_guard<std::mutex> lock(mutex_);
    counts_.bytes_read += unit.bytes;
    ++counts_.requests;
  }
  return OkStatus();
}

void UnitStream::BeginRun() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    status_ = OkStatus();
    next_ = 0;
    released_ = 0;
    std::fill(here_.begin(), here_.end(), false);
    running_ = true;
  }
  wake_reader_.notify_one();
}

bool UnitStream::Arrived(int stage) const {
  const auto begin = static_cast<ptrdiff_t>(released_);
  const ptrdiff_t end = stage_end_[static_cast<size_t>(stage)];
  return std::all_of(here_.begin() + begin, here_.begin() + end,
                     [](bool here) { return here; });
}

Status UnitStream::Await(int stage, int64_t timeout_ns) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto ready = [&] { return !status_.ok() || Arrived(stage); };
  if (!ready()) {
    const int64_t start = NowNs();
    const bool in_time =
        arrived_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), ready);
    ++counts_.waits;
    counts_.wait_ns += NowNs() - start;
    if (!in_time) {
      return Cancelled("weights of stage " + std::to_string(stage) +
                       " did not come in time");
    }
  }
  return status_;
}

void UnitStream::Release(int stage) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto end =
        static_cast<size_t>(stage_end_[static_cast<size_t>(stage)]);
    for (; released_ < end; ++released_) space_.GiveBack();
  }
  wake_reader_.notify_one();
}

void UnitStream::EndRun() {
  std::unique_lock<std::mutex> lock(mutex_);
  running_ = false;
  arrived_.wait(lock, [&] { return in_flight_ == 0; });
  while (!space_.empty()) space_.GiveBack();
}

StreamCounts UnitStream::counts() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void UnitStream::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  running_ = false;
  arrived_.notify_all();
}

// The next units that lie side by side in the file and find room side by side.
UnitStream::Batch UnitStream::NextBatch() {
  Batch batch{next_, next_};
  int64_t bytes = 0;
  for (; next_ < order_.size(); ++next_) {
    const auto unit = static_cast<size_t>(order_[next_]);
    const StreamUnit& u = setup_.units[unit];
    const BlockRead before = ReadOf(batch);
    const bool neighbor = before.offset + bytes == u.offset &&
                          bytes + u.bytes <= setup_.request_bytes;
    if (!batch.empty() && !neighbor) break;
    const auto place = space_.Take(u.bytes);
    if (!place.has_value()) break;
    uint8_t* at = ring_.get() + *place;
    if (!batch.empty() && at != before.to.data() + bytes) {
      space_.GiveBackLast();
      break;
    }
    places_[unit] = at;
    bytes += u.bytes;
    batch.end = next_ + 1;
  }
  return batch;
}

BlockRead UnitStream::ReadOf(const Batch& batch) const {
  if (batch.empty()) return {};
  size_t bytes = 0;
  for (size_t i = batch.begin; i < batch.end; ++i) {
    bytes +=
        static_cast<size_t>(setup_.units[static_cast<size_t>(order_[i])].bytes);
  }
  const auto first = static_cast<size_t>(order_[batch.begin]);
  return {setup_.units[first].offset, {places_[first], bytes}, 0};
}

void UnitStream::StartReads(std::unique_lock<std::mutex>* lock) {
  for (size_t tag = 0; tag < batches_.size() && running_; ++tag) {
    if (!batches_[tag].empty()) continue;  // in flight
    const Batch batch = NextBatch();
    if (batch.empty()) return;
    batches_[tag] = batch;
    BlockRead read = ReadOf(batch);
    read.tag = tag;
    ++in_flight_;
    ++counts_.requests;
    counts_.bytes_read += static_cast<int64_t>(read.to.size());
    last_read_ns_ = NowNs();
    lock->unlock();
    Status started = reader_->Start(read);
    lock->lock();
    if (!started.ok()) {
      --in_flight_;
      batches_[tag] = {};
      return Fail(std::move(started));
    }
  }
}

Status UnitStream::CheckAll(const Batch& batch) const {
  for (size_t i = batch.begin; i < batch.end; ++i) {
    STINT_RETURN_IF_ERROR(Check(order_[i]));
  }
  return OkStatus();
}

void UnitStream::FinishRead(std::unique_lock<std::mutex>* lock) {
  // While the ring is full, room for another read may come before a read ends.
  const bool more = running_ && next_ < order_.size();
  lock->unlock();
  Result<std::optional<BlockDone>> done =
      reader_->Wait(more ? kLookForRoomNs : kReadTimeoutNs);
  Status status = done.status();
  Batch batch;
  if (done.ok() && done->has_value()) {
    batch = batches_[(*done)->tag];
    status = (*done)->status;
    if (status.ok()) status = CheckAll(batch);
  }
  lock->lock();
  if (batch.empty() && status.ok()) {
    if (NowNs() - last_read_ns_ > kReadTimeoutNs) {
      Fail(IoError("storage does not answer"));
    }
    return;
  }
  if (!batch.empty()) {
    batches_[(*done)->tag] = {};
    --in_flight_;
    last_read_ns_ = NowNs();
  }
  if (!status.ok()) return Fail(std::move(status));
  std::fill(here_.begin() + static_cast<ptrdiff_t>(batch.begin),
            here_.begin() + static_cast<ptrdiff_t>(batch.end), true);
}

void UnitStream::ReadLoop() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto unread = [&] { return running_ && next_ < order_.size(); };
  while (!stop_ || in_flight_ > 0) {
    if (unread()) StartReads(&lock);
    if (in_flight_ > 0) {
      FinishRead(&lock);
      arrived_.notify_all();
    } else if (!stop_) {
      // There is nothing to read, or the ring is full of what is still needed.
      wake_reader_.wait(lock);
    }
  }
}

}  // namespace stint

#include "weights/stream/unit_stream.h"

#include <algorithm>
#include <atomic>
#include <string>

#include "core/base/checksum.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

// A device that does not answer for so long is given up.
constexpr int64_t kReadTimeoutNs = 30'000'000'000;

int64_t LargestUnit(const StreamSetup& setup) {
  int64_t largest = 0;
  for (const StreamUnit& unit : setup.units) {
    if (!unit.pinned) largest = std::max(largest, unit.bytes);
  }
  return largest;
}

}  // namespace

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

UnitStream::UnitStream(std::unique_ptr<BlockReader> reader, ThreadPool* pool)
    : reader_(std::move(reader)),
      pool_(pool),
      batches_(static_cast<size_t>(reader_->depth())) {}

Result<std::unique_ptr<UnitStream>> UnitStream::Create(
    std::unique_ptr<BlockReader> reader, StreamSetup setup, ThreadPool* pool) {
  std::unique_ptr<UnitStream> stream(new UnitStream(std::move(reader), pool));
  STINT_RETURN_IF_ERROR(stream->Reserve(setup));
  STINT_RETURN_IF_ERROR(stream->Change(std::move(setup)));
  return stream;
}

Status UnitStream::Reserve(const StreamSetup& setup) {
  int64_t bytes = 0;
  for (const StreamUnit& unit : setup.units) {
    pinned_at_.push_back(bytes);
    bytes += unit.bytes;
  }
  STINT_ASSIGN_OR_RETURN(pinned_memory_, ReservedPages::Reserve(bytes));
  places_.assign(setup.units.size(), nullptr);
  pinned_here_.assign(setup.units.size(), false);
  return OkStatus();
}

Status UnitStream::Change(StreamSetup setup) {
  const int64_t least = RingBytesFor(setup);
  if (setup.ring_bytes < least || setup.ring_bytes % kBlockBytes != 0) {
    return InvalidArgument("a ring of " + std::to_string(setup.ring_bytes) +
                           " bytes, expected a multiple of " +
                           std::to_string(kBlockBytes) + " and at least " +
                           std::to_string(least));
  }
  if (setup.units.size() != places_.size()) {
    return InvalidArgument("a plan for " + std::to_string(setup.units.size()) +
                           " units, expected " +
                           std::to_string(places_.size()));
  }
  setup_ = std::move(setup);
  SetOrder();
  // What goes, goes first: registering a ring takes all its pages at once.
  for (size_t i = 0; i < places_.size(); ++i) {
    if (setup_.units[i].pinned) {
      places_[i] = pinned_memory_.data() + pinned_at_[i];
    } else if (pinned_here_[i]) {
      pinned_memory_.Discard(pinned_at_[i], setup_.units[i].bytes);
      pinned_here_[i] = false;
    }
  }
  space_ = RingSpace(setup_.ring_bytes, order_.size());
  if (setup_.ring_bytes == ring_.bytes()) return OkStatus();
  ring_ = ReservedPages();
  STINT_ASSIGN_OR_RETURN(ring_, ReservedPages::Reserve(setup_.ring_bytes));
  reader_->Register({ring_.data(), static_cast<size_t>(setup_.ring_bytes)});
  return OkStatus();
}

void UnitStream::DropRing() {
  reader_->Register({});
  ring_ = ReservedPages();
}

// Units of no stage are not pinned either.
void UnitStream::SetOrder() {
  order_.clear();
  stage_end_.clear();
  std::vector<bool> pinned(places_.size(), false);
  for (const std::vector<int>& stage : setup_.stages) {
    for (int unit : stage) {
      const auto u = static_cast<size_t>(unit);
      pinned[u] = setup_.units[u].pinned;
      if (!pinned[u]) order_.push_back(unit);
    }
    stage_end_.push_back(order_.size());
  }
  here_.assign(order_.size(), false);
  for (size_t i = 0; i < places_.size(); ++i) {
    setup_.units[i].pinned = pinned[i];
  }
}

UnitStream::~UnitStream() { EndRun(); }

Status UnitStream::Check(int unit) const {
  const StreamUnit& u = setup_.units[static_cast<size_t>(unit)];
  const uint8_t* data = places_[static_cast<size_t>(unit)];
  if (Checksum({data, static_cast<size_t>(u.bytes)}) == u.checksum) {
    return OkStatus();
  }
  return Damaged("section 'planes': checksum of the " +
                 std::to_string(u.bytes) + " bytes at offset " +
                 std::to_string(u.offset) + " of the file does not fit");
}

size_t UnitStream::PinnedRun(size_t first) const {
  const auto wanted = [&](size_t i) {
    return setup_.units[i].pinned && !pinned_here_[i];
  };
  const StreamUnit& begin = setup_.units[first];
  int64_t bytes = 0;
  size_t end = first;
  while (end < setup_.units.size() && wanted(end) &&
         setup_.units[end].offset == begin.offset + bytes &&
         (end == first ||
          bytes + setup_.units[end].bytes <= setup_.request_bytes)) {
    bytes += setup_.units[end++].bytes;
  }
  return end;
}

// Waits for one of the reads in flight; its tag is the batch.
Status UnitStream::FinishPinned() {
  STINT_ASSIGN_OR_RETURN(const auto done, reader_->Wait(kReadTimeoutNs));
  if (!done.has_value()) return IoError("storage does not answer");
  Batch& batch = batches_[done->tag];
  const Batch read = batch;
  batch = {};
  STINT_RETURN_IF_ERROR(done->status);
  for (size_t i = read.begin; i < read.end; ++i) {
    STINT_RETURN_IF_ERROR(Check(static_cast<int>(i)));
    pinned_here_[i] = true;
    counts_.bytes_read += setup_.units[i].bytes;
  }
  return OkStatus();
}

Status UnitStream::ReadPinned() {
  Status status;
  size_t reading = 0;
  const auto finish = [&] {
    --reading;
    const Status finished = FinishPinned();
    if (status.ok()) status = finished;
  };
  size_t end = 0;
  for (size_t i = 0; i < setup_.units.size() && status.ok();
       i = std::max(end, i + 1)) {
    end = PinnedRun(i);
    if (end == i) continue;
    if (reading == batches_.size()) finish();
    const size_t tag = static_cast<size_t>(
        std::find_if(batches_.begin(), batches_.end(),
                     [](const Batch& b) { return b.empty(); }) -
        batches_.begin());
    batches_[tag] = {i, end};
    const int64_t bytes =
        pinned_at_[end - 1] + setup_.units[end - 1].bytes - pinned_at_[i];
    const Status started =
        reader_->Start({setup_.units[i].offset,
                        {places_[i], static_cast<size_t>(bytes)},
                        tag});
    if (!started.ok()) {
      batches_[tag] = {};
      status = started;
      break;
    }
    ++reading;
    ++counts_.requests;
  }
  while (reading > 0) finish();
  return status;
}

void UnitStream::BeginRun() {
  status_ = broken_;
  next_ = 0;
  checked_ = 0;
  released_ = 0;
  std::fill(here_.begin(), here_.end(), false);
  running_ = status_.ok();
  StartReads();
}

bool UnitStream::Arrived(size_t end) const {
  return std::all_of(here_.begin() + static_cast<ptrdiff_t>(released_),
                     here_.begin() + static_cast<ptrdiff_t>(end),
                     [](bool here) { return here; });
}

void UnitStream::Poll() {
  while (in_flight_ > 0 && TakeRead(0)) {
  }
  StartReads();
}

Status UnitStream::Await(int stage, int64_t timeout_ns) {
  Poll();
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  if (status_.ok() && !Arrived(end)) {
    const int64_t start = NowNs();
    const Status status = AwaitReads(stage, timeout_ns);
    ++counts_.waits;
    counts_.wait_ns += NowNs() - start;
    STINT_RETURN_IF_ERROR(status);
  }
  if (status_.ok()) {
    Status checked = CheckStreamed(end);
    if (!checked.ok()) Fail(std::move(checked));
  }
  return status_;
}

Status UnitStream::AwaitReads(int stage, int64_t timeout_ns) {
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  const int64_t until = NowNs() + timeout_ns;
  while (status_.ok() && !Arrived(end)) {
    const int64_t left = until - NowNs();
    if (left <= 0) {
      return Cancelled("weights of stage " + std::to_string(stage) +
                       " did not come in time");
    }
    if (in_flight_ == 0) {
      return InternalError("stage " + std::to_string(stage) +
                           " was awaited out of order");
    }
    if (TakeRead(left)) {
      StartReads();
    } else if (NowNs() - last_read_ns_ > kReadTimeoutNs) {
      Fail(IoError("storage does not answer"));
    }
  }
  return OkStatus();
}

void UnitStream::Release(int stage) {
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  for (; released_ < end; ++released_) space_.GiveBack();
  Poll();
}

void UnitStream::EndRun() {
  running_ = false;
  while (in_flight_ > 0 && broken_.ok()) {
    if (!TakeRead(kReadTimeoutNs)) broken_ = IoError("storage does not answer");
  }
  while (!space_.empty()) space_.GiveBack();
}

void UnitStream::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  running_ = false;
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
    uint8_t* at = ring_.data() + *place;
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

void UnitStream::StartReads() {
  for (size_t tag = 0; tag < batches_.size() && running_; ++tag) {
    if (next_ == order_.size()) return;
    if (!batches_[tag].empty()) continue;  // in flight
    const Batch batch = NextBatch();
    if (batch.empty()) return;
    BlockRead read = ReadOf(batch);
    read.tag = tag;
    Status started = reader_->Start(read);
    if (!started.ok()) return Fail(std::move(started));
    batches_[tag] = batch;
    ++in_flight_;
    ++counts_.requests;
    counts_.bytes_read += static_cast<int64_t>(read.to.size());
    last_read_ns_ = NowNs();
  }
}

bool UnitStream::TakeRead(int64_t timeout_ns) {
  Result<std::optional<BlockDone>> done = WaitAwake(reader_.get(), timeout_ns);
  if (!done.ok()) Fail(done.status());
  if (!done.ok() || !done->has_value()) return false;
  Batch& batch = batches_[(*done)->tag];
  std::fill(here_.begin() + static_cast<ptrdiff_t>(batch.begin),
            here_.begin() + static_cast<ptrdiff_t>(batch.end), true);
  batch = {};
  --in_flight_;
  last_read_ns_ = NowNs();
  if (!(*done)->status.ok()) Fail(std::move((*done)->status));
  return true;
}

Status UnitStream::CheckStreamed(size_t end) {
  if (checked_ >= end) return OkStatus();
  const int64_t start = NowNs();
  const size_t none = order_.size();
  std::atomic<size_t> bad = none;
  const auto check = [&](int, int64_t from, int64_t to) {
    for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
      if (Check(order_[checked_ + i]).ok()) continue;
      size_t first = bad.load();
      while (checked_ + i < first &&
             !bad.compare_exchange_weak(first, checked_ + i)) {
      }
    }
  };
  const auto units = static_cast<int64_t>(end - checked_);
  if (pool_ != nullptr) {
    pool_->ParallelTurns(units, 1, check);
  } else {
    check(0, 0, units);
  }
  for (; checked_ < end; ++checked_) {
    counts_.checked_bytes +=
        setup_.units[static_cast<size_t>(order_[checked_])].bytes;
  }
  counts_.check_ns += NowNs() - start;
  return bad == none ? OkStatus() : Check(order_[bad]);
}

}  // namespace stint

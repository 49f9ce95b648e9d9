// How a run goes through the stages: which reads it starts, takes and waits
// for.

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "core/platform/clock.h"
#include "weights/stream/unit_stream.h"

namespace stint {
namespace {

// How long the end of a run waits for reads: as long as most take.
constexpr int64_t kEndNs = 10'000'000;

}  // namespace

void UnitStream::BeginRun() {
  EndRun();
  status_ = OkStatus();
  if (!placed_ && ring_.bytes() < setup_.ring_bytes) {
    Fail(InternalError("a run without the ring, which was dropped"));
  }
  next_ = 0;
  checked_ = 0;
  released_ = 0;
  std::fill(here_.begin(), here_.end(), false);
  SetMissing();
  running_ = status_.ok();
  Poll();
}

void UnitStream::SetMissing() {
  missing_.clear();
  next_missing_ = 0;
  for (size_t s = 0; s < setup_.stages.size(); ++s) {
    for (int unit : setup_.stages[s]) {
      const auto u = static_cast<size_t>(unit);
      if (!setup_.units[u].pinned || pinned_here_[u]) continue;
      missing_.push_back({static_cast<int>(s), unit});
    }
  }
}

bool UnitStream::Arrived(int stage) const {
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  for (size_t i = released_; i < end; ++i) {
    if (!here_[i]) return false;
  }
  for (const Missing& missing : missing_) {
    if (missing.stage > stage) break;
    if (!pinned_here_[static_cast<size_t>(missing.unit)]) return false;
  }
  return true;
}

void UnitStream::Poll() {
  while (in_flight_ > 0) {
    const auto took = TakeRead(0);
    if (!took.ok()) Fail(took.status());
    if (!took.ok() || !*took) break;
  }
  StartReads();
}

Status UnitStream::Await(int stage, int64_t timeout_ns) {
  Poll();
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  if (status_.ok() && !Arrived(stage)) {
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
  const int64_t start = NowNs();
  std::optional<ThreadPool::Rest> rest;
  while (status_.ok() && !Arrived(stage)) {
    const int64_t left = timeout_ns - (NowNs() - start);
    if (left <= 0) {
      // Short enough to need no memory: callers look, and wait again.
      return Cancelled("not in time");
    }
    if (in_flight_ == 0) {
      return InternalError("stage " + std::to_string(stage) +
                           " was awaited out of order");
    }
    // Longer waits are not worth the CPUs of those who would compute.
    const int64_t awake = start + kAwakeNs - NowNs();
    if (pool_ != nullptr && awake <= 0 && !rest) rest.emplace(pool_);
    const int64_t wait = awake > 0 ? std::min(left, awake) : left;
    const auto took = TakeRead(std::min(wait, PatienceNs()));
    if (!took.ok()) {
      Fail(took.status());
    } else if (*took) {
      StartReads();
    } else if (PatienceNs() == 0) {
      Fail(IoError("storage does not answer"));
    }
  }
  return OkStatus();
}

void UnitStream::Release(int stage) {
  const size_t end = stage_end_[static_cast<size_t>(stage)];
  for (; released_ < end; ++released_) {
    if (placed_) {
      Discard({released_, released_ + 1});
    } else {
      space_.GiveBack();
    }
  }
  Poll();
}

void UnitStream::EndRun() {
  running_ = false;
  EndReads();
  while (!space_.empty()) space_.GiveBack();
  // Late ones follow when they have come.
  for (; placed_ && released_ < next_; ++released_) {
    if (here_[released_]) Discard({released_, released_ + 1});
  }
}

void UnitStream::EndReads() {
  const int64_t until = NowNs() + kEndNs;
  while (in_flight_ > late_) {
    const int64_t left = std::max<int64_t>(0, until - NowNs());
    const auto took = TakeRead(left);
    if (!took.ok() || (!*took && left == 0)) break;
  }
  for (Batch& batch : batches_) {
    if (batch.empty() || batch.late) continue;
    batch.late = true;
    ++late_;
  }
}

int64_t UnitStream::PatienceNs() const {
  return std::max<int64_t>(0, last_read_ns_ + setup_.read_timeout_ns - NowNs());
}

void UnitStream::Discard(const Batch& batch) {
  if (!placed_ && !batch.pinned) return;
  for (size_t i = batch.begin; i < batch.end; ++i) {
    const StreamUnit& unit = batch.pinned ? setup_.units[i] : UnitAt(i);
    if (batch.pinned && pinned_here_[i]) continue;
    memory_.Discard(unit.offset, unit.bytes);
    if (!batch.pinned) placed_bytes_here_ -= unit.bytes;
  }
}

void UnitStream::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  running_ = false;
}

const StreamUnit& UnitStream::UnitAt(size_t i) const {
  return setup_.units[static_cast<size_t>(order_[i])];
}

// Null while there is no room.
uint8_t* UnitStream::TakePlace(const StreamUnit& unit) {
  if (placed_) {
    if (placed_bytes_here_ + unit.bytes > setup_.ring_bytes) return nullptr;
    placed_bytes_here_ += unit.bytes;
    return Place(unit.offset);
  }
  const auto at = space_.Take(unit.bytes);
  return at.has_value() ? ring_.data() + *at : nullptr;
}

void UnitStream::GiveBackLast(const StreamUnit& unit) {
  if (placed_) {
    placed_bytes_here_ -= unit.bytes;
  } else {
    space_.GiveBackLast();
  }
}

// The next units that lie side by side in the file and find room side by side.
UnitStream::Batch UnitStream::NextBatch() {
  Batch batch{next_, next_};
  int64_t bytes = 0;
  for (; next_ < order_.size(); ++next_) {
    const StreamUnit& u = UnitAt(next_);
    const BlockRead before = ReadOf(batch);
    const bool neighbor = before.offset + bytes == u.offset &&
                          bytes + u.bytes <= setup_.request_bytes;
    if (!batch.empty() && !neighbor) break;
    uint8_t* at = TakePlace(u);
    if (at == nullptr) break;
    if (!batch.empty() && at != before.to.data() + bytes) {
      GiveBackLast(u);
      break;
    }
    places_[static_cast<size_t>(order_[next_])] = at;
    bytes += u.bytes;
    batch.end = next_ + 1;
  }
  return batch;
}

BlockRead UnitStream::ReadOf(const Batch& batch) const {
  if (batch.empty()) return {};
  size_t bytes = 0;
  for (size_t i = batch.begin; i < batch.end; ++i) {
    bytes += static_cast<size_t>(UnitAt(i).bytes);
  }
  const auto first = static_cast<size_t>(order_[batch.begin]);
  return {UnitAt(batch.begin).offset, {places_[first], bytes}, 0};
}

bool UnitStream::PinnedIsNext() {
  for (; next_missing_ < missing_.size(); ++next_missing_) {
    const Missing& missing = missing_[next_missing_];
    const auto unit = static_cast<size_t>(missing.unit);
    if (asked_[unit] || pinned_here_[unit]) continue;
    return next_ == order_.size() ||
           next_ >= stage_end_[static_cast<size_t>(missing.stage)];
  }
  return false;
}

// Not before late reads have come: they may write where these would.
void UnitStream::StartReads() {
  while (running_ && late_ == 0 && in_flight_ < reader_->depth()) {
    Batch batch;
    if (!PinnedIsNext() && next_ < order_.size()) batch = NextBatch();
    if (batch.empty()) {
      if (next_missing_ == missing_.size()) return;
      const auto unit = static_cast<size_t>(missing_[next_missing_].unit);
      Status started = StartPinned(unit, PinnedRun(unit));
      if (!started.ok()) return Fail(std::move(started));
      continue;
    }
    const BlockRead read = ReadOf(batch);
    Status started = StartRead(read, batch);
    if (!started.ok()) {
      // Nobody reads into it, so that the end of the run gives it back.
      std::fill(here_.begin() + static_cast<ptrdiff_t>(batch.begin),
                here_.begin() + static_cast<ptrdiff_t>(batch.end), true);
      return Fail(std::move(started));
    }
    counts_.bytes_read += static_cast<int64_t>(read.to.size());
  }
}

Status UnitStream::StartRead(BlockRead read, const Batch& batch) {
  while (!batches_[read.tag].empty()) ++read.tag;
  STINT_RETURN_IF_ERROR(reader_->Start(read));
  batches_[read.tag] = batch;
  ++in_flight_;
  ++counts_.requests;
  last_read_ns_ = NowNs();
  return OkStatus();
}

Result<bool> UnitStream::TakeRead(int64_t timeout_ns) {
  STINT_ASSIGN_OR_RETURN(std::optional<BlockDone> done,
                         WaitAwake(reader_.get(), timeout_ns));
  if (!done.has_value()) return false;
  const Batch batch = std::exchange(batches_[done->tag], {});
  --in_flight_;
  last_read_ns_ = NowNs();
  for (size_t i = batch.begin; batch.pinned && i < batch.end; ++i) {
    asked_[i] = false;
  }
  if (batch.late) {
    --late_;
    Discard(batch);
  } else if (batch.pinned) {
    Status kept = KeepPinned(batch, done->status);
    if (!kept.ok()) Fail(std::move(kept));
  } else {
    std::fill(here_.begin() + static_cast<ptrdiff_t>(batch.begin),
              here_.begin() + static_cast<ptrdiff_t>(batch.end), true);
    if (!done->status.ok()) Fail(std::move(done->status));
  }
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
    counts_.checked_bytes += UnitAt(checked_).bytes;
  }
  counts_.check_ns += NowNs() - start;
  return bad == none ? OkStatus() : Check(order_[bad]);
}

}  // namespace stint

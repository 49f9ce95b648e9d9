#include "weights/stream/unit_stream.h"

#include <algorithm>
#include <string>

#include "core/base/checksum.h"

namespace stint {
namespace {

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
  if (most == 0 || setup.placed_bytes > 0) return most;
  return RingSpace::BytesFor(most, LargestUnit(setup));
}

UnitStream::UnitStream(std::unique_ptr<BlockReader> reader, ThreadPool* pool)
    : pool_(pool),
      batches_(static_cast<size_t>(reader->depth())),
      reader_(std::move(reader)) {}

Result<std::unique_ptr<UnitStream>> UnitStream::Create(
    std::unique_ptr<BlockReader> reader, StreamSetup setup, ThreadPool* pool) {
  std::unique_ptr<UnitStream> stream(new UnitStream(std::move(reader), pool));
  STINT_RETURN_IF_ERROR(stream->Reserve(setup));
  STINT_RETURN_IF_ERROR(stream->Change(std::move(setup)));
  return stream;
}

UnitStream::~UnitStream() { EndRun(); }

// Addresses only, so that it does not matter how much of the file is no unit.
Status UnitStream::Reserve(const StreamSetup& setup) {
  int64_t bytes = setup.placed_bytes;
  for (const StreamUnit& unit : setup.units) {
    bytes = std::max(bytes, unit.offset + unit.bytes);
  }
  STINT_ASSIGN_OR_RETURN(memory_, ReservedPages::Reserve(bytes));
  placed_ = setup.placed_bytes > 0;
  places_.assign(setup.units.size(), nullptr);
  pinned_here_.assign(setup.units.size(), false);
  asked_.assign(setup.units.size(), false);
  return OkStatus();
}

Status UnitStream::CheckSetup(const StreamSetup& setup) const {
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
  return OkStatus();
}

Status UnitStream::Settle() {
  EndRun();
  while (in_flight_ > 0) {
    STINT_ASSIGN_OR_RETURN(const bool took, TakeRead(PatienceNs()));
    if (!took && PatienceNs() == 0) return IoError("storage does not answer");
  }
  return OkStatus();
}

Status UnitStream::Change(StreamSetup setup) {
  STINT_RETURN_IF_ERROR(CheckSetup(setup));
  STINT_RETURN_IF_ERROR(Settle());
  const int64_t ring_bytes = placed_ ? 0 : setup.ring_bytes;
  const bool other_ring = ring_bytes != ring_.bytes();
  ReservedPages ring;
  if (other_ring) {
    STINT_ASSIGN_OR_RETURN(ring, ReservedPages::Reserve(ring_bytes));
  }
  setup_ = std::move(setup);
  SetOrder();
  // What goes, goes first: registering a ring takes all its pages at once.
  SetPlaces();
  space_ = RingSpace(setup_.ring_bytes, order_.size());
  if (!other_ring) return OkStatus();
  DropRing();
  ring_ = std::move(ring);
  reader_->Register({ring_.data(), static_cast<size_t>(ring_.bytes())});
  return OkStatus();
}

void UnitStream::SetPlaces() {
  for (size_t i = 0; i < places_.size(); ++i) {
    const StreamUnit& unit = setup_.units[i];
    if (unit.pinned) {
      places_[i] = Place(unit.offset);
    } else if (pinned_here_[i]) {
      memory_.Discard(unit.offset, unit.bytes);
      pinned_here_[i] = false;
    }
  }
}

// The system would wait for reads in flight to forget their memory.
bool UnitStream::DropRing() {
  EndRun();
  if (in_flight_ > 0) return false;
  reader_->Register({});
  ring_ = ReservedPages();
  return true;
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
    return setup_.units[i].pinned && !pinned_here_[i] && !asked_[i];
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

Status UnitStream::StartPinned(size_t begin, size_t end) {
  const int64_t from = setup_.units[begin].offset;
  const StreamUnit& last = setup_.units[end - 1];
  const auto bytes = static_cast<size_t>(last.offset + last.bytes - from);
  STINT_RETURN_IF_ERROR(StartRead({from, {places_[begin], bytes}, 0},
                                  {begin, end, /*pinned=*/true}));
  for (size_t i = begin; i < end; ++i) asked_[i] = true;
  return OkStatus();
}

Status UnitStream::KeepPinned(const Batch& batch, const Status& read) {
  Status status = read;
  for (size_t i = batch.begin; i < batch.end && status.ok(); ++i) {
    status = Check(static_cast<int>(i));
    if (!status.ok()) break;
    pinned_here_[i] = true;
    counts_.bytes_read += setup_.units[i].bytes;
  }
  // What is not here takes no memory.
  if (!status.ok()) Discard(batch);
  return status;
}

Status UnitStream::ReadPinned() {
  STINT_RETURN_IF_ERROR(Settle());
  status_ = OkStatus();
  const auto finish = [this] {
    const auto took = TakeRead(PatienceNs());
    if (!took.ok()) return Fail(took.status());
    if (!*took) Fail(IoError("storage does not answer"));
  };
  size_t end = 0;
  for (size_t i = 0; i < setup_.units.size() && status_.ok();
       i = std::max(end, i + 1)) {
    end = PinnedRun(i);
    if (end == i) continue;
    if (in_flight_ == reader_->depth()) finish();
    if (!status_.ok()) break;
    Status started = StartPinned(i, end);
    if (!started.ok()) Fail(std::move(started));
  }
  while (in_flight_ > 0 && status_.ok()) finish();
  EndReads();
  return status_;
}

}  // namespace stint

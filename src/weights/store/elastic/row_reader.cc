#include "weights/store/elastic/row_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/checked_math.h"
#include "core/base/heap_bytes.h"
#include "core/platform/clock.h"
#include "weights/store/elastic/shard_reader.h"

namespace stint {
namespace {

constexpr int64_t kTimeoutNs = 30'000'000'000;

// Instead of a row's number.
constexpr int64_t kNone = -1;
constexpr int64_t kLate = -2;

}  // namespace

RowReader::RowReader(std::unique_ptr<BlockReader> reader,
                     const CatalogTable* table, int64_t rows, int64_t cached)
    : table_(table),
      rows_(rows),
      in_flight_(static_cast<size_t>(reader->depth()), kNone),
      cached_(static_cast<size_t>(std::max<int64_t>(1, cached)), kNone),
      bytes_(cached_.size() * static_cast<size_t>(table->stride())),
      reader_(std::move(reader)) {}

Result<std::unique_ptr<RowReader>> RowReader::Create(
    std::unique_ptr<BlockReader> reader, const CatalogTable* table,
    int64_t rows, int64_t cached) {
  std::unique_ptr<RowReader> made(
      new RowReader(std::move(reader), table, rows, cached));
  made->blocks_bytes_ = RoundUp(table->stride(), kBlockBytes) + kBlockBytes;
  STINT_ASSIGN_OR_RETURN(
      made->blocks_,
      ReservedPages::Reserve(made->blocks_bytes_ *
                             static_cast<int64_t>(made->in_flight_.size())));
  // Reads will write to all of them: whoever measures memory before the first
  // read finds them.
  std::fill_n(made->blocks_.data(), made->blocks_.bytes(), uint8_t{0});
  return made;
}

RowReader::Blocks RowReader::BlocksOf(int64_t row) const {
  const int64_t begin = table_->offset + row * table_->stride();
  Blocks blocks;
  blocks.offset = begin / kBlockBytes * kBlockBytes;
  blocks.row_at = begin - blocks.offset;
  blocks.bytes = RoundUp(blocks.row_at + table_->stride(), kBlockBytes);
  return blocks;
}

std::span<uint8_t> RowReader::Slot(int64_t row) {
  const auto stride = static_cast<size_t>(table_->stride());
  return std::span(bytes_).subspan(SlotOf(row) * stride, stride);
}

int64_t RowReader::memory_bytes() const {
  return HeapBytes(bytes_) + HeapBytes(cached_) + HeapBytes(wanted_) +
         blocks_.bytes();
}

Status RowReader::Read(std::span<const int64_t> numbers, float* to) {
  counts_.rows_wanted += static_cast<int64_t>(numbers.size());
  bool missing = false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (cached_[SlotOf(numbers[i])] != numbers[i]) {
      missing = true;
      continue;
    }
    DecodeRow(table_->format, table_->values.data(), Slot(numbers[i]).data(),
              to + static_cast<int64_t>(i) * columns());
  }
  if (!missing) return OkStatus();
  const Status status = Fetch(numbers, to);
  // After an error, reads in flight still write to their blocks.
  for (int64_t& row : in_flight_) {
    if (row != kNone) row = kLate;
  }
  return status;
}

Status RowReader::TakeLate() {
  while (std::count(in_flight_.begin(), in_flight_.end(), kLate) > 0) {
    STINT_ASSIGN_OR_RETURN(const auto done, reader_->Wait(kTimeoutNs));
    if (!done.has_value()) return IoError("storage does not answer");
    in_flight_[done->tag] = kNone;
  }
  return OkStatus();
}

Status RowReader::Fetch(std::span<const int64_t> numbers, float* to) {
  STINT_RETURN_IF_ERROR(TakeLate());
  wanted_.clear();
  wanted_.reserve(numbers.size());
  for (int64_t row : numbers) {
    if (cached_[SlotOf(row)] != row) wanted_.push_back(row);
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  size_t started = 0;
  for (size_t finished = 0; finished < wanted_.size(); ++finished) {
    for (uint64_t tag = 0; tag < in_flight_.size() && started < wanted_.size();
         ++tag) {
      if (in_flight_[tag] == kNone) {
        STINT_RETURN_IF_ERROR(Start(tag, wanted_[started++]));
      }
    }
    STINT_RETURN_IF_ERROR(Finish(numbers, to));
  }
  return OkStatus();
}

Status RowReader::Start(uint64_t tag, int64_t row) {
  const Blocks blocks = BlocksOf(row);
  uint8_t* at = blocks_.data() + static_cast<int64_t>(tag) * blocks_bytes_;
  STINT_RETURN_IF_ERROR(reader_->Start(
      {blocks.offset, {at, static_cast<size_t>(blocks.bytes)}, tag}));
  in_flight_[tag] = row;
  counts_.bytes_read += blocks.bytes;
  ++counts_.rows_read;
  return OkStatus();
}

Status RowReader::Finish(std::span<const int64_t> numbers, float* to) {
  const int64_t start = NowNs();
  STINT_ASSIGN_OR_RETURN(const auto done, WaitAwake(reader_.get(), kTimeoutNs));
  counts_.wait_ns += NowNs() - start;
  if (!done.has_value()) return IoError("storage does not answer");
  const int64_t row = in_flight_[done->tag];
  in_flight_[done->tag] = kNone;
  STINT_RETURN_IF_ERROR(done->status);
  const uint8_t* at = blocks_.data() +
                      static_cast<int64_t>(done->tag) * blocks_bytes_ +
                      BlocksOf(row).row_at;
  const auto stride = static_cast<size_t>(table_->stride());
  STINT_RETURN_IF_ERROR(CheckRow(*table_, row, {at, stride}));
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != row) continue;
    DecodeRow(table_->format, table_->values.data(), at,
              to + static_cast<int64_t>(i) * columns());
  }
  std::memcpy(Slot(row).data(), at, stride);
  cached_[SlotOf(row)] = row;
  return OkStatus();
}

}  // namespace stint

#include "weights/store/row_reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/checked_math.h"
#include "weights/store/shard_reader.h"

namespace stint {
namespace {

constexpr int64_t kTimeoutNs = 30'000'000'000;

}  // namespace

RowReader::RowReader(std::unique_ptr<BlockReader> reader,
                     const CatalogTable* table, int64_t rows, int64_t cached)
    : reader_(std::move(reader)),
      table_(table),
      rows_(rows),
      in_flight_(static_cast<size_t>(reader_->depth()), -1),
      cached_(static_cast<size_t>(std::max<int64_t>(1, cached)), -1),
      bytes_(cached_.size() * static_cast<size_t>(table->stride())) {}

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
  while (std::any_of(in_flight_.begin(), in_flight_.end(),
                     [](int64_t row) { return row >= 0; })) {
    const auto done = reader_->Wait(kTimeoutNs);
    if (!done.ok() || !done->has_value()) break;
    in_flight_[(*done)->tag] = -1;
  }
  return status;
}

Status RowReader::Fetch(std::span<const int64_t> numbers, float* to) {
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
      if (in_flight_[tag] < 0) {
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
  STINT_ASSIGN_OR_RETURN(const auto done, WaitAwake(reader_.get(), kTimeoutNs));
  if (!done.has_value()) return IoError("storage does not answer");
  const int64_t row = in_flight_[done->tag];
  in_flight_[done->tag] = -1;
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

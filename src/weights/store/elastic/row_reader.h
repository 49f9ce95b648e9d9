#pragma once
// Reads rows of a table from an elastic file, one by one and past the page
// cache; those that were read last stay in memory.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/io/block_reader.h"
#include "core/platform/memory/reserved_pages.h"
#include "weights/shards/shard_catalog.h"

namespace stint {

struct RowCounts {
  int64_t bytes_read = 0;
  int64_t rows_read = 0;    // from storage
  int64_t rows_wanted = 0;  // in all
  int64_t wait_ns = 0;      // for storage
};

// Used by one thread at a time.
class RowReader {
 public:
  // Keeps `cached` rows. `table` must outlive it.
  static Result<std::unique_ptr<RowReader>> Create(
      std::unique_ptr<BlockReader> reader, const CatalogTable* table,
      int64_t rows, int64_t cached);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return table_->format.columns; }
  // Row numbers[i] to `to` + i * columns. kDamaged names the row.
  Status Read(std::span<const int64_t> numbers, float* to);
  RowCounts counts() const { return counts_; }
  // What cached rows and blocks in flight take.
  int64_t memory_bytes() const;

 private:
  // The blocks of storage that hold one row.
  struct Blocks {
    int64_t offset = 0;
    int64_t bytes = 0;
    int64_t row_at = 0;  // from `offset` on
  };

  RowReader(std::unique_ptr<BlockReader> reader, const CatalogTable* table,
            int64_t rows, int64_t cached);
  Blocks BlocksOf(int64_t row) const;
  // Where a row is kept while it is cached: each has one place.
  size_t SlotOf(int64_t row) const {
    return static_cast<size_t>(row) % cached_.size();
  }
  std::span<uint8_t> Slot(int64_t row);
  Status Fetch(std::span<const int64_t> numbers, float* to);
  // The blocks of a read that nobody waits for any more are free when it ends.
  Status TakeLate();
  Status Start(uint64_t tag, int64_t row);
  // Checks a row that was read and gives it to all who want it.
  Status Finish(std::span<const int64_t> numbers, float* to);

  const CatalogTable* const table_;
  const int64_t rows_;
  int64_t blocks_bytes_ = 0;        // the most that a row needs
  ReservedPages blocks_;            // for each read in flight
  std::vector<int64_t> in_flight_;  // by tag: the row, kNone or kLate
  std::vector<int64_t> cached_;     // by slot: the row, -1: none
  std::vector<uint8_t> bytes_;      // by slot
  std::vector<int64_t> wanted_;     // rows of a read that are not cached
  RowCounts counts_;
  // Goes first: it waits for its reads, which go to the blocks above.
  const std::unique_ptr<BlockReader> reader_;
};

}  // namespace stint

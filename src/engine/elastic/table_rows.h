#pragma once
// A table of an elastic file as a gathering kernel reads it.

#include <functional>
#include <memory>

#include "engine/bind/coded_weights.h"
#include "weights/store/elastic/row_reader.h"

namespace stint {

class TableRows : public CodedRows {
 public:
  // `read` is called when rows have been read.
  TableRows(std::unique_ptr<RowReader> reader, std::function<void()> read)
      : reader_(std::move(reader)), read_(std::move(read)) {}

  int64_t rows() const override { return reader_->rows(); }
  int64_t columns() const override { return reader_->columns(); }
  Status Read(std::span<const int64_t> numbers, float* to) override {
    if (rehearsing_) {
      std::fill_n(to, static_cast<int64_t>(numbers.size()) * columns(), 0.0f);
      wanted_ = static_cast<int64_t>(numbers.size());
      return OkStatus();
    }
    const Status status = reader_->Read(numbers, to);
    if (status.ok()) read_();
    return status;
  }

  // Gives zeros and reads nothing.
  void set_rehearsing(bool on) { rehearsing_ = on; }
  int64_t wanted() const { return wanted_; }  // rows of the last rehearsal
  RowCounts counts() const { return reader_->counts(); }
  int64_t memory_bytes() const { return reader_->memory_bytes(); }

 private:
  const std::unique_ptr<RowReader> reader_;
  const std::function<void()> read_;
  bool rehearsing_ = false;
  int64_t wanted_ = 0;
};

}  // namespace stint

#include "weights/store/tensor_table.h"

#include <algorithm>

#include "core/base/byte_reader.h"
#include "core/base/byte_writer.h"
#include "model/ops/value_type.h"
#include "weights/store/format.h"

namespace stint::store {
namespace {

constexpr size_t kLeastEntryBytes = 1 + 4 + 3 * 8;

// With the zeros that follow.
uint64_t Padded(uint64_t bytes) {
  return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

// Elements of strings: a count before each.
std::string EncodeTexts(const Tensor& tensor) {
  ByteWriter out;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    out.PutText(tensor.data<std::string>()[i]);
  }
  return out.Take();
}

Result<Tensor> DecodeTexts(const Shape& dims, std::span<const uint8_t> bytes) {
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(dims));
  if (count > static_cast<int64_t>(bytes.size() / 4)) {
    return Damaged("has fewer strings than its shape says");
  }
  STINT_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kString, dims));
  ByteReader in(bytes);
  for (int64_t i = 0; i < count; ++i) {
    tensor.data<std::string>()[i] = in.GetText();
  }
  if (!in.ok()) return Damaged("has a string that does not end");
  return tensor;
}

// One tensor as the section describes it.
struct Record {
  DType dtype = DType::kFloat32;
  Shape dims;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

Status ReadRecord(ByteReader* in, size_t data_bytes, Record* record) {
  const auto dtype = in->Get<uint8_t>();
  record->dtype = static_cast<DType>(dtype);
  record->dims.resize(in->GetCount(8));
  for (int64_t& dim : record->dims) dim = in->Get<int64_t>();
  record->offset = in->Get<uint64_t>();
  record->bytes = in->Get<uint64_t>();
  record->checksum = in->Get<uint64_t>();
  if (!in->ok()) return Damaged("is cut short");
  if (dtype > static_cast<uint8_t>(DType::kComplex128)) {
    return Damaged("has element type " + std::to_string(dtype));
  }
  STINT_RETURN_IF_ERROR(CheckDims(record->dims));
  STINT_ASSIGN_OR_RETURN(const int64_t count, ElementCount(record->dims));
  if (record->dtype != DType::kString &&
      record->bytes !=
          static_cast<uint64_t>(count) * DTypeSize(record->dtype)) {
    return Damaged("has " + std::to_string(record->bytes) + " bytes for " +
                   ToString(record->dims));
  }
  if (record->offset % kTensorAlignment != 0 || record->offset > data_bytes ||
      record->bytes > data_bytes ||
      Padded(record->bytes) > data_bytes - record->offset) {
    return Damaged("lies at " + std::to_string(record->offset) + " with " +
                   std::to_string(record->bytes) + " bytes, outside of data");
  }
  return OkStatus();
}

// Padding included, so that no byte of the file is unchecked.
std::span<const uint8_t> Extent(const Record& record,
                                std::span<const uint8_t> data) {
  return data.subspan(record.offset, Padded(record.bytes));
}

// What is read for this is given back: of a table of embeddings, few rows are
// needed later.
bool HasItsChecksum(const Record& record, std::span<const uint8_t> data,
                    const MappedFile* file) {
  return ChecksumInParts(Extent(record, data),
                         [&](std::span<const uint8_t> part) {
                           if (file != nullptr) file->Release(part);
                         }) == record.checksum;
}

Result<Tensor> MakeTensor(const Record& record, std::span<const uint8_t> data,
                          const std::shared_ptr<const MappedFile>& file) {
  const auto bytes = data.subspan(record.offset, record.bytes);
  if (record.dtype == DType::kString) return DecodeTexts(record.dims, bytes);
  if (record.dtype == DType::kBool &&
      std::any_of(bytes.begin(), bytes.end(),
                  [](uint8_t byte) { return byte > 1; })) {
    return Damaged("has a bool that is neither 0 nor 1");
  }
  return Tensor::Borrow(
      record.dtype, record.dims, const_cast<uint8_t*>(bytes.data()),
      file != nullptr ? MappedFile::Hold(file, bytes) : nullptr);
}

}  // namespace

std::string_view TensorTableWriter::Entry::bytes() const {
  if (tensor.dtype() == DType::kString) return text;
  return {static_cast<const char*>(tensor.raw()), tensor.bytes()};
}

uint32_t TensorTableWriter::Add(const Tensor& tensor) {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const Tensor& there = entries_[i].tensor;
    if (there.raw() == tensor.raw() && there.dtype() == tensor.dtype() &&
        there.shape() == tensor.shape() && tensor.size() > 0) {
      return static_cast<uint32_t>(i);
    }
  }
  Entry entry;
  entry.tensor = tensor;
  if (tensor.dtype() == DType::kString) entry.text = EncodeTexts(tensor);
  entry.offset = data_bytes_;
  data_bytes_ += Padded(entry.bytes().size());
  entries_.push_back(std::move(entry));
  return static_cast<uint32_t>(entries_.size() - 1);
}

std::string TensorTableWriter::Encode() const {
  ByteWriter out;
  out.PutCount(entries_.size());
  for (const Entry& entry : entries_) {
    const std::string_view bytes = entry.bytes();
    out.Put(static_cast<uint8_t>(entry.tensor.dtype()));
    out.PutCount(entry.tensor.shape().size());
    for (int64_t dim : entry.tensor.shape()) out.Put(dim);
    out.Put(entry.offset);
    out.Put(static_cast<uint64_t>(bytes.size()));
    out.Put(PaddedChecksum(bytes, kTensorAlignment));
  }
  return out.Take();
}

std::vector<std::string_view> TensorTableWriter::Data() const {
  static constexpr char kZeros[kTensorAlignment] = {};
  std::vector<std::string_view> parts;
  for (const Entry& entry : entries_) {
    const std::string_view bytes = entry.bytes();
    parts.push_back(bytes);
    const size_t padded = Padded(bytes.size());
    if (padded > bytes.size()) {
      parts.emplace_back(kZeros, padded - bytes.size());
    }
  }
  return parts;
}

Result<TensorTable> TensorTable::Read(std::span<const uint8_t> section,
                                      std::span<const uint8_t> data,
                                      std::shared_ptr<const MappedFile> file) {
  ByteReader in(section);
  std::vector<Record> records(in.GetCount(kLeastEntryBytes));
  uint64_t end = 0;
  const auto named = [](size_t i) { return "tensor " + std::to_string(i); };
  for (size_t i = 0; i < records.size(); ++i) {
    const Status status = ReadRecord(&in, data.size(), &records[i]);
    if (!status.ok()) return Damaged(named(i) + ": " + status.message());
    if (records[i].offset != end) return Damaged(named(i) + ": leaves a gap");
    end += Padded(records[i].bytes);
  }
  if (!in.ok() || !in.AtEnd() || end != data.size()) {
    return Damaged("does not fit the data");
  }
  TensorTable table;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!HasItsChecksum(records[i], data, file.get())) {
      return Damaged("checksum of " + named(i) + " at offset " +
                     std::to_string(records[i].offset) +
                     " of the data does not fit");
    }
    auto tensor = MakeTensor(records[i], data, file);
    if (!tensor.ok()) return tensor.status().Annotate(named(i));
    table.tensors_.push_back(std::move(tensor).value());
  }
  return table;
}

Result<Tensor> TensorTable::Get(uint32_t index) const {
  if (index >= tensors_.size()) {
    return Damaged("tensor " + std::to_string(index) + " of " +
                   std::to_string(tensors_.size()));
  }
  return tensors_[index];
}

}  // namespace stint::store

#include "engine/elastic/placed_weights.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

constexpr int64_t kRequestBytes = 1 << 20;
constexpr int64_t kTimeoutNs = 30'000'000'000;

}  // namespace

Result<std::unique_ptr<PlacedWeights>> PlacedWeights::Create(
    std::shared_ptr<const MappedFile> file, std::unique_ptr<BlockReader> reader,
    const PackedTable& packed) {
  std::unique_ptr<PlacedWeights> placed(new PlacedWeights(std::move(reader)));
  STINT_RETURN_IF_ERROR(placed->Place(file, packed));
  return placed;
}

PlacedWeights::~PlacedWeights() { EndRun(); }

Status PlacedWeights::Place(const std::shared_ptr<const MappedFile>& file,
                            const PackedTable& packed) {
  const auto bytes = file->bytes();
  STINT_ASSIGN_OR_RETURN(
      memory_, ReservedPages::Reserve(
                   RoundUp(static_cast<int64_t>(bytes.size()), kBlockBytes)));
  for (const auto& [name, from] : packed) {
    PackedWeights& to = packed_[name];
    to.layout = from.layout;
    NodeWeights& node = nodes_[name];
    for (const Tensor& part : from.parts) {
      const auto* raw = static_cast<const uint8_t*>(part.raw());
      if (part.size() == 0 || raw < bytes.data() ||
          raw >= bytes.data() + bytes.size()) {
        to.parts.push_back(part);  // in memory already
        continue;
      }
      const int64_t begin = raw - bytes.data();
      const int64_t end = begin + static_cast<int64_t>(part.bytes());
      const int64_t first = std::min(RoundUp(begin, kBlockBytes), end);
      const int64_t last = std::max(first, end / kBlockBytes * kBlockBytes);
      std::memcpy(At(begin), raw, static_cast<size_t>(first - begin));
      std::memcpy(At(last), bytes.data() + last,
                  static_cast<size_t>(end - last));
      if (last > first) node.ranges.push_back({first, last - first});
      node.bytes += last - first;
      to.parts.push_back(Tensor::Borrow(part.dtype(), part.shape(), At(begin)));
    }
    bytes_ += node.bytes;
  }
  file->Release(bytes);
  return OkStatus();
}

int64_t PlacedWeights::BytesOf(const std::string& node) const {
  const auto it = nodes_.find(node);
  return it == nodes_.end() ? 0 : it->second.bytes;
}

void PlacedWeights::SetOrder(const std::vector<std::string>& nodes) {
  reads_.clear();
  for (const std::string& name : nodes) {
    const auto it = nodes_.find(name);
    if (it == nodes_.end()) continue;
    for (const Range& range : it->second.ranges) {
      for (int64_t at = 0; at < range.bytes; at += kRequestBytes) {
        reads_.push_back(
            {&it->second,
             {range.offset + at, std::min(kRequestBytes, range.bytes - at)}});
      }
    }
  }
}

Status PlacedWeights::ReadAll() {
  BeginRun(bytes_);
  Status status = StartReads();
  while (status.ok() && (in_flight_ > 0 || next_ < reads_.size())) {
    const auto done = FinishRead(kTimeoutNs);
    status = !done.ok() ? done.status()
             : *done    ? StartReads()
                        : IoError("storage does not answer");
  }
  resident_ = status.ok();
  if (!resident_) EndRun();
  return status;
}

void PlacedWeights::BeginRun(int64_t ring_bytes) {
  if (resident_) return;
  ring_bytes_ = ring_bytes;
  live_bytes_ = 0;
  next_ = 0;
  for (auto& [name, node] : nodes_) node.pending = 0;
  for (const Read& read : reads_) ++read.node->pending;
  // An error comes back with the first wait.
  (void)StartReads();
}

Status PlacedWeights::StartReads() {
  while (next_ < reads_.size() && in_flight_ < reader_->depth() &&
         live_bytes_ + reads_[next_].range.bytes <= ring_bytes_) {
    const Range& range = reads_[next_].range;
    STINT_RETURN_IF_ERROR(
        reader_->Start({range.offset,
                        {At(range.offset), static_cast<size_t>(range.bytes)},
                        next_}));
    ++in_flight_;
    ++next_;
    live_bytes_ += range.bytes;
    counts_.bytes_read += range.bytes;
  }
  return OkStatus();
}

Result<bool> PlacedWeights::FinishRead(int64_t timeout_ns) {
  STINT_ASSIGN_OR_RETURN(const auto done, reader_->Wait(timeout_ns));
  if (!done.has_value()) return false;
  --in_flight_;
  STINT_RETURN_IF_ERROR(done->status);
  --reads_[done->tag].node->pending;
  return true;
}

Status PlacedWeights::Await(const std::string& node, int64_t timeout_ns) {
  const auto it = nodes_.find(node);
  if (resident_ || it == nodes_.end()) return OkStatus();
  STINT_RETURN_IF_ERROR(StartReads());
  if (it->second.pending == 0) return OkStatus();
  const int64_t start = NowNs();
  ++counts_.waits;
  while (it->second.pending > 0) {
    const int64_t left = start + timeout_ns - NowNs();
    STINT_ASSIGN_OR_RETURN(const bool done,
                           FinishRead(std::max<int64_t>(0, left)));
    if (!done && left <= 0) {
      return Cancelled("weights of node '" + node + "' did not come in time");
    }
    STINT_RETURN_IF_ERROR(StartReads());
  }
  counts_.wait_ns += NowNs() - start;
  return OkStatus();
}

void PlacedWeights::Discard(const NodeWeights& node) {
  for (const Range& range : node.ranges) {
    memory_.Discard(range.offset, range.bytes);
  }
}

void PlacedWeights::Release(const std::string& node) {
  const auto it = nodes_.find(node);
  if (resident_ || it == nodes_.end()) return;
  Discard(it->second);
  live_bytes_ -= it->second.bytes;
  (void)StartReads();
}

void PlacedWeights::EndRun() {
  while (in_flight_ > 0) {
    const auto done = reader_->Wait(kTimeoutNs);
    if (!done.ok() || !done->has_value()) break;
    --in_flight_;
  }
  in_flight_ = 0;
  if (resident_) return;
  for (const auto& [name, node] : nodes_) Discard(node);
  live_bytes_ = 0;
  next_ = reads_.size();
}

}  // namespace stint

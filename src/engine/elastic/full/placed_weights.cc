#include "engine/elastic/full/placed_weights.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/base/checksum.h"

namespace stint {
namespace {

// Of one read, and of what is checked at once.
constexpr int64_t kUnitBytes = 1 << 20;

// Where a part is in the file; -1: it is in memory.
int64_t OffsetIn(std::span<const uint8_t> file, const Tensor& part) {
  const auto* raw = static_cast<const uint8_t*>(part.raw());
  const bool inside =
      part.size() > 0 && raw >= file.data() && raw < file.data() + file.size();
  return inside ? raw - file.data() : -1;
}

// The whole pages of a part.
struct Pages {
  int64_t begin = 0;
  int64_t end = 0;
};
Pages PagesOf(int64_t begin, int64_t bytes) {
  const int64_t end = begin + bytes;
  const int64_t first = std::min(RoundUp(begin, kBlockBytes), end);
  return {first, std::max(first, end / kBlockBytes * kBlockBytes)};
}

}  // namespace

Result<std::unique_ptr<PlacedWeights>> PlacedWeights::Create(
    std::shared_ptr<const MappedFile> file, std::unique_ptr<BlockReader> reader,
    const PackedTable& packed, ThreadPool* pool) {
  std::unique_ptr<PlacedWeights> placed(new PlacedWeights());
  const auto bytes = file->bytes();
  for (const auto& [name, from] : packed) {
    NodeWeights& node = placed->nodes_[name];
    for (const Tensor& part : from.parts) {
      const int64_t begin = OffsetIn(bytes, part);
      const auto part_bytes = static_cast<int64_t>(part.bytes());
      if (begin >= 0) placed->AddUnits(*file, begin, part_bytes, &node);
    }
    placed->bytes_ += node.bytes;
  }
  placed->setup_.placed_bytes =
      RoundUp(static_cast<int64_t>(bytes.size()), kBlockBytes);
  STINT_ASSIGN_OR_RETURN(
      placed->stream_,
      UnitStream::Create(std::move(reader), placed->setup_, pool));
  placed->Place(bytes, packed);
  file->Release(bytes);
  return placed;
}

void PlacedWeights::AddUnits(const MappedFile& file, int64_t begin,
                             int64_t bytes, NodeWeights* node) {
  const Pages pages = PagesOf(begin, bytes);
  for (int64_t at = pages.begin; at < pages.end; at += kUnitBytes) {
    StreamUnit unit{at, std::min(kUnitBytes, pages.end - at), 0, false};
    const auto [it, first] =
        unit_at_.emplace(at, static_cast<int>(setup_.units.size()));
    if (first) {
      const auto content = file.bytes().subspan(
          static_cast<size_t>(unit.offset), static_cast<size_t>(unit.bytes));
      unit.checksum = Checksum(content);
      file.Release(content);  // a budget may be small
      setup_.units.push_back(unit);
    }
    node->units.push_back(it->second);
    node->bytes += unit.bytes;
  }
}

void PlacedWeights::Place(std::span<const uint8_t> file,
                          const PackedTable& packed) {
  const auto copy = [&](int64_t begin, int64_t end) {
    std::memcpy(stream_->Place(begin), file.data() + begin,
                static_cast<size_t>(end - begin));
  };
  for (const auto& [name, from] : packed) {
    PackedWeights& to = packed_[name];
    to.layout = from.layout;
    for (const Tensor& part : from.parts) {
      const int64_t begin = OffsetIn(file, part);
      if (begin < 0) {
        to.parts.push_back(part);
        continue;
      }
      const auto bytes = static_cast<int64_t>(part.bytes());
      const Pages pages = PagesOf(begin, bytes);
      copy(begin, pages.begin);
      copy(pages.end, begin + bytes);
      to.parts.push_back(
          Tensor::Borrow(part.dtype(), part.shape(), stream_->Place(begin)));
    }
  }
}

int64_t PlacedWeights::BytesOf(const std::string& node) const {
  const auto it = nodes_.find(node);
  return it == nodes_.end() ? 0 : it->second.bytes;
}

// What several nodes read stays: it would go with the first of them.
Status PlacedWeights::Change(const std::vector<std::string>& nodes,
                             int64_t ring_bytes) {
  StreamSetup setup = setup_;
  setup.ring_bytes = ring_bytes;
  stages_.clear();
  std::vector<int> readers(setup.units.size(), 0);
  for (const std::string& name : nodes) {
    const auto it = nodes_.find(name);
    if (it == nodes_.end()) continue;
    stages_.push_back(name);
    setup.stages.push_back(it->second.units);
    for (int unit : it->second.units) ++readers[static_cast<size_t>(unit)];
  }
  for (size_t i = 0; i < setup.units.size(); ++i) {
    setup.units[i].pinned = ring_bytes == 0 || readers[i] > 1;
  }
  STINT_RETURN_IF_ERROR(stream_->Change(std::move(setup)));
  return stream_->ReadPinned();
}

Status PlacedWeights::ReadAll(const std::vector<std::string>& nodes) {
  return Change(nodes, 0);
}

Status PlacedWeights::Stream(const std::vector<std::string>& nodes,
                             int64_t ring_bytes) {
  return Change(nodes, ring_bytes);
}

void PlacedWeights::BeginRun() {
  stage_ = 0;
  stream_->BeginRun();
}

Status PlacedWeights::Await(const std::string& node, int64_t timeout_ns) {
  if (nodes_.find(node) == nodes_.end()) return OkStatus();
  if (stage_ == stages_.size() || stages_[stage_] != node) {
    return InternalError("node '" + node + "' runs out of order");
  }
  return stream_->Await(static_cast<int>(stage_), timeout_ns);
}

void PlacedWeights::Release(const std::string& node) {
  if (nodes_.find(node) == nodes_.end()) return stream_->Poll();
  stream_->Release(static_cast<int>(stage_++));
}

void PlacedWeights::EndRun() { stream_->EndRun(); }

}  // namespace stint

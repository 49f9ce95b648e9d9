#include "weights/store/range_codec.h"

#include <cmath>

#include "core/base/byte_reader.h"
#include "core/base/byte_writer.h"
#include "weights/store/graph_codec.h"

namespace stint::store {

std::string EncodeRanges(const Graph& graph) {
  ByteWriter ranges;
  size_t count = 0;
  const std::vector<ValueId> values = ValuesInFile(graph);
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& range = graph.value(values[i]).range;
    if (!range) continue;
    ranges.Put(static_cast<uint32_t>(i));
    ranges.Put(range->lo);
    ranges.Put(range->hi);
    ++count;
  }
  if (count == 0) return {};
  ByteWriter out;
  out.PutCount(count);
  return out.Take() + ranges.Take();
}

Status DecodeRanges(std::span<const uint8_t> bytes, Graph* graph) {
  ByteReader in(bytes);
  const size_t count = in.GetCount(12);
  int64_t last = -1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t value = in.Get<uint32_t>();
    const auto lo = in.Get<float>();
    const auto hi = in.Get<float>();
    if (value <= last || value >= static_cast<int64_t>(graph->num_values()) ||
        !(lo <= 0 && hi >= 0) || !std::isfinite(hi - lo)) {
      return Damaged("entry " + std::to_string(i) + " is value " +
                     std::to_string(value) + " from " + std::to_string(lo) +
                     " to " + std::to_string(hi));
    }
    last = value;
    graph->value({static_cast<int32_t>(value)}).range = ActivationRange{lo, hi};
  }
  if (!in.ok() || !in.AtEnd() || count == 0) return Damaged("is cut short");
  return OkStatus();
}

}  // namespace stint::store

#include "weights/store/elastic/shard_reader.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"
#include "weights/planes/decode_matrix.h"
#include "weights/shards/shard_weights.h"
#include "weights/store/elastic/find_shards.h"
#include "weights/store/format.h"

namespace stint {
namespace {

// Copies planes of one matrix from read units to its blocks.
class PlaneCollector {
 public:
  PlaneCollector(const ShardFile& shards, int layer, int matrix)
      : bytes_(shards.bytes),
        layer_(shards.catalog.layout.layers[layer]),
        entry_(shards.catalog.layers[layer]),
        matrix_(layer_.matrices[matrix]),
        number_(matrix) {
    for (int i = 0; i < layer_.slices; ++i) blocks_.emplace_back();
  }

  Status Add(int group) {
    for (const ReadUnit& unit : entry_.groups[group]) {
      const auto bytes = bytes_.subspan(unit.offset, unit.bytes);
      STINT_RETURN_IF_ERROR(CheckUnit(unit, bytes));
      const uint8_t* from = bytes.data();
      for (int i = 0; i < unit.slices; ++i) {
        const int slice = unit.first_slice + i;
        Take(slice, group, from);
        from += SliceBytes(layer_, slice, group);
      }
    }
    return OkStatus();
  }

  const uint64_t* planes(int slice) const { return blocks_[slice].data(); }

 private:
  // `from` is where the slice begins.
  void Take(int slice, int group, const uint8_t* from) {
    for (int m = 0; m < number_; ++m) {
      from += 8 * GroupPlanes(group) *
              layer_.matrices[m].BlockShape(slice).plane_words();
    }
    const int64_t words =
        GroupPlanes(group) * matrix_.BlockShape(slice).plane_words();
    std::vector<uint64_t>& planes = blocks_[slice];
    const size_t before = planes.size();
    planes.resize(before + static_cast<size_t>(words));
    std::memcpy(planes.data() + before, from, static_cast<size_t>(words) * 8);
  }

  std::span<const uint8_t> bytes_;
  const ShardLayer& layer_;
  const CatalogLayer& entry_;
  const ShardMatrix& matrix_;
  const int number_;
  std::vector<std::vector<uint64_t>> blocks_;
};

Status RestoreTable(const ShardFile& shards, int table, Tensor* constant) {
  STINT_ASSIGN_OR_RETURN(*constant,
                         Tensor::Allocate(DType::kFloat32, constant->shape()));
  for (int64_t i = 0; i < constant->dim(0); ++i) {
    STINT_RETURN_IF_ERROR(ReadRow(
        shards, table, i, constant->data<float>() + i * constant->dim(1)));
  }
  return OkStatus();
}

}  // namespace

Status CheckUnit(const ReadUnit& unit, std::span<const uint8_t> bytes) {
  if (static_cast<int64_t>(bytes.size()) != unit.bytes ||
      store::Checksum(bytes) != unit.checksum) {
    return Damaged("section 'planes': checksum of the " +
                   std::to_string(unit.bytes) + " bytes at offset " +
                   std::to_string(unit.offset) + " of the file does not fit");
  }
  return OkStatus();
}

Status CheckRow(const CatalogTable& table, int64_t number,
                std::span<const uint8_t> bytes) {
  const auto size = static_cast<size_t>(table.format.bytes());
  uint32_t checksum = 0;
  if (bytes.size() == size + sizeof(checksum)) {
    std::memcpy(&checksum, bytes.data() + size, sizeof(checksum));
    if (store::RowChecksum(bytes.first(size), static_cast<uint64_t>(number)) ==
        checksum) {
      return OkStatus();
    }
  }
  return Damaged("section 'rows': checksum of row " + std::to_string(number) +
                 " at offset " +
                 std::to_string(table.offset + number * table.stride()) +
                 " of the file does not fit");
}

Status ReadMatrix(const ShardFile& shards, int layer, int matrix, int bits,
                  float* to) {
  const ShardCatalog& catalog = shards.catalog;
  STINT_CHECK(bits >= kPlaneMinBits && bits <= catalog.bits);
  PlaneCollector planes(shards, layer, matrix);
  for (int group = 0; group < bits - 1; ++group) {
    STINT_RETURN_IF_ERROR(planes.Add(group));
  }
  const ShardLayer& of = catalog.layout.layers[layer];
  const ShardMatrix& m = of.matrices[matrix];
  const CatalogMatrix& entry = catalog.layers[layer].matrices[matrix];
  for (int slice = 0; slice < of.slices; ++slice) {
    const bool by_outputs = m.cut == PlaneCut::kOutputs;
    const int64_t output = by_outputs ? m.bounds[slice] : 0;
    const int64_t input = by_outputs ? 0 : m.bounds[slice];
    const auto outliers = OutliersOf(m, entry, slice);
    const int dictionary = entry.blocks[slice].dictionary;
    DecodeBlock({m.BlockShape(slice), planes.planes(slice),
                 catalog.Values(dictionary, bits).data(), bits,
                 entry.scales.data<float>() + output, outliers},
                to + output * m.inputs + input, m.inputs);
  }
  return OkStatus();
}

Status RestoreMatrix(const ShardFile& shards, int layer, int matrix,
                     Tensor* constant) {
  const ShardMatrix& m = shards.catalog.layout.layers[layer].matrices[matrix];
  std::vector<float> weights(static_cast<size_t>(m.weights()));
  STINT_RETURN_IF_ERROR(
      ReadMatrix(shards, layer, matrix, shards.catalog.bits, weights.data()));
  STINT_ASSIGN_OR_RETURN(*constant,
                         Tensor::Allocate(DType::kFloat32, constant->shape()));
  SetWeights(weights.data(), m.order, constant);
  return OkStatus();
}

Status ReadRow(const ShardFile& shards, int table, int64_t row, float* to) {
  const CatalogTable& t = shards.catalog.tables[table];
  const auto bytes = shards.bytes.subspan(t.offset + row * t.stride(),
                                          static_cast<size_t>(t.stride()));
  STINT_RETURN_IF_ERROR(CheckRow(t, row, bytes));
  DecodeRow(t.format, t.values.data(), bytes.data(), to);
  return OkStatus();
}

Status RestoreShards(const ShardFile& shards, Graph* graph) {
  const ShardLayout& layout = shards.catalog.layout;
  const store::ShardFinder finder(*graph);
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    for (size_t m = 0; m < layout.layers[l].matrices.size(); ++m) {
      STINT_ASSIGN_OR_RETURN(const ValueId id,
                             finder.Find(layout.layers[l].matrices[m]));
      STINT_RETURN_IF_ERROR(RestoreMatrix(shards, static_cast<int>(l),
                                          static_cast<int>(m),
                                          &*graph->value(id).constant));
    }
  }
  for (size_t t = 0; t < layout.tables.size(); ++t) {
    STINT_ASSIGN_OR_RETURN(const ValueId id, finder.Find(layout.tables[t]));
    STINT_RETURN_IF_ERROR(
        RestoreTable(shards, static_cast<int>(t), &*graph->value(id).constant));
  }
  // What was read is not needed again.
  if (shards.file != nullptr) shards.file->Release(shards.bytes);
  return OkStatus();
}

}  // namespace stint

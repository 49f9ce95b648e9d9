#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/byte_reader.h"
#include "core/base/checked_math.h"
#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/format.h"

namespace stint::store {
namespace {

constexpr int64_t kMaxSide = int64_t{1} << 31;
// Places of outliers are uint32.
constexpr int64_t kMaxWeights = int64_t{1} << 32;
constexpr int kMaxSlices = 65536;

class CatalogDecoder {
 public:
  CatalogDecoder(std::span<const uint8_t> bytes, const GetTensor& get,
                 const ShardSections& sections)
      : in_(bytes), get_(get), sections_(sections) {}

  Result<ShardCatalog> Run() {
    catalog_.bits = in_.Get<uint8_t>();
    if (catalog_.bits < kPlaneMinBits || catalog_.bits > kPlaneMaxBits) {
      return Bad("bits");
    }
    STINT_RETURN_IF_ERROR(ReadDictionaries());
    offset_ = sections_.planes_offset;
    const size_t layers = in_.GetCount(9);
    for (size_t i = 0; i < layers; ++i) STINT_RETURN_IF_ERROR(ReadLayer());
    if (offset_ - sections_.planes_offset != sections_.planes_bytes) {
      return Damaged("says " +
                     std::to_string(offset_ - sections_.planes_offset) +
                     " bytes of planes, the file has " +
                     std::to_string(sections_.planes_bytes));
    }
    offset_ = sections_.rows_offset;
    const size_t tables = in_.GetCount(33);
    for (size_t i = 0; i < tables; ++i) STINT_RETURN_IF_ERROR(ReadTable());
    if (offset_ - sections_.rows_offset != sections_.rows_bytes) {
      return Damaged("says " + std::to_string(offset_ - sections_.rows_offset) +
                     " bytes of rows, the file has " +
                     std::to_string(sections_.rows_bytes));
    }
    const size_t networks = in_.GetCount(8);
    for (size_t i = 0; i < networks; ++i) {
      STINT_RETURN_IF_ERROR(ReadSubNetwork());
    }
    if (!in_.ok() || !in_.AtEnd()) return Bad("sub-networks");
    return std::move(catalog_);
  }

 private:
  Status Bad(const std::string& what) const {
    return Damaged(what + " end or go wrong at offset " +
                   std::to_string(in_.position()));
  }

  Result<Tensor> GetVector(DType dtype, int64_t size) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, get_(in_.Get<uint32_t>()));
    if (tensor.dtype() != dtype || (size >= 0 && tensor.size() != size) ||
        tensor.rank() != 1) {
      return Damaged("a tensor is " + std::string(DTypeName(tensor.dtype())) +
                     ToString(tensor.shape()) + ", expected " +
                     std::string(DTypeName(dtype)) + "[" +
                     (size < 0 ? "n" : std::to_string(size)) + "]");
    }
    return tensor;
  }

  Status ReadDictionaries() {
    catalog_.dictionary_count = in_.Get<uint32_t>();
    STINT_ASSIGN_OR_RETURN(
        catalog_.dictionaries,
        GetVector(DType::kInt8, catalog_.dictionary_count *
                                    PlaneDictionaryOffset(catalog_.bits + 1)));
    return OkStatus();
  }

  Status ReadLayer() {
    ShardLayer layer;
    CatalogLayer entry;
    const auto kind = in_.Get<uint8_t>();
    layer.kind = static_cast<LayerKind>(kind);
    const auto slices = in_.Get<uint32_t>();
    const size_t matrices = in_.GetCount(64);
    if (kind > static_cast<uint8_t>(LayerKind::kTransformer) || slices < 1 ||
        slices > kMaxSlices || matrices < 1) {
      return Bad("layers");
    }
    layer.slices = static_cast<int>(slices);
    for (size_t i = 0; i < matrices; ++i) {
      ShardMatrix matrix;
      STINT_RETURN_IF_ERROR(ReadMatrix(layer.slices, &matrix));
      CatalogMatrix found;
      STINT_RETURN_IF_ERROR(ReadEntry(matrix, &found));
      layer.matrices.push_back(std::move(matrix));
      entry.matrices.push_back(std::move(found));
    }
    for (int group = 0; group < catalog_.groups(); ++group) {
      STINT_RETURN_IF_ERROR(ReadUnits(layer, group, &entry));
    }
    catalog_.layout.layers.push_back(std::move(layer));
    catalog_.layers.push_back(std::move(entry));
    return OkStatus();
  }

  Status ReadMatrix(int slices, ShardMatrix* matrix) {
    matrix->node = in_.GetText();
    const auto input = in_.Get<uint32_t>();
    const auto order = in_.Get<uint8_t>();
    const auto cut = in_.Get<uint8_t>();
    matrix->outputs = in_.Get<int64_t>();
    matrix->inputs = in_.Get<int64_t>();
    if (!in_.ok() || input > 65535 ||
        order > static_cast<uint8_t>(WeightOrder::kWindow) ||
        cut > static_cast<uint8_t>(PlaneCut::kInputs) || matrix->outputs < 1 ||
        matrix->inputs < 1 || matrix->outputs > kMaxSide ||
        matrix->inputs > kMaxSide ||
        matrix->outputs * matrix->inputs > kMaxWeights) {
      return Bad("matrices");
    }
    matrix->input = static_cast<int>(input);
    matrix->order = static_cast<WeightOrder>(order);
    matrix->cut = static_cast<PlaneCut>(cut);
    for (int i = 0; i <= slices && in_.ok(); ++i) {
      matrix->bounds.push_back(in_.Get<int64_t>());
    }
    const int64_t size =
        matrix->cut == PlaneCut::kOutputs ? matrix->outputs : matrix->inputs;
    if (!in_.ok() || matrix->bounds.front() != 0 ||
        matrix->bounds.back() != size ||
        !std::is_sorted(matrix->bounds.begin(), matrix->bounds.end())) {
      return Bad("bounds");
    }
    return OkStatus();
  }

  Status ReadEntry(const ShardMatrix& matrix, CatalogMatrix* entry) {
    STINT_ASSIGN_OR_RETURN(entry->scales,
                           GetVector(DType::kFloat32, matrix.outputs));
    STINT_ASSIGN_OR_RETURN(entry->outlier_places,
                           GetVector(DType::kUInt32, -1));
    STINT_ASSIGN_OR_RETURN(
        entry->outlier_values,
        GetVector(DType::kFloat32, entry->outlier_places.size()));
    int64_t outliers = 0;
    const size_t slices = matrix.bounds.size() - 1;
    for (size_t i = 0; i < slices; ++i) {
      CatalogBlock block;
      const auto dictionary = in_.Get<uint32_t>();
      block.first_outlier = outliers;
      block.outliers = in_.Get<uint32_t>();
      block.energy = in_.Get<double>();
      for (int b = 0; b < catalog_.groups(); ++b) {
        block.distortion[b] = in_.Get<float>();
      }
      outliers += block.outliers;
      if (!in_.ok() || dictionary >= catalog_.dictionary_count ||
          dictionary > std::numeric_limits<int>::max() ||
          outliers > entry->outlier_places.size()) {
        return Bad("blocks");
      }
      block.dictionary = static_cast<int>(dictionary);
      entry->blocks.push_back(block);
      STINT_RETURN_IF_ERROR(CheckOutliers(matrix, *entry, static_cast<int>(i)));
    }
    if (outliers != entry->outlier_places.size()) return Bad("outliers");
    return OkStatus();
  }

  // Within the block and in order.
  Status CheckOutliers(const ShardMatrix& matrix, const CatalogMatrix& entry,
                       int slice) const {
    const PlaneBlockShape shape = matrix.BlockShape(slice);
    const CatalogBlock& block = entry.blocks[slice];
    int64_t before = -1;
    for (int64_t i = 0; i < block.outliers; ++i) {
      const int64_t place =
          entry.outlier_places.data<uint32_t>()[block.first_outlier + i];
      if (place <= before || place >= shape.outputs * shape.inputs) {
        return Bad("places of outliers");
      }
      before = place;
    }
    return OkStatus();
  }

  Status ReadUnits(const ShardLayer& layer, int group, CatalogLayer* entry) {
    std::vector<ReadUnit> units(in_.GetCount(12));
    int slice = 0;
    for (ReadUnit& unit : units) {
      const auto slices = in_.Get<uint32_t>();
      unit.checksum = in_.Get<uint64_t>();
      if (slices < 1 || slices > static_cast<uint32_t>(layer.slices - slice)) {
        return Bad("read units");
      }
      unit.slices = static_cast<int>(slices);
      unit.first_slice = slice;
      for (int i = 0; i < unit.slices; ++i) {
        unit.bytes += SliceBytes(layer, slice++, group);
      }
      unit.bytes = RoundUp(unit.bytes, kSectionAlignment);
      unit.offset = static_cast<int64_t>(offset_);
      offset_ += static_cast<uint64_t>(unit.bytes);
      if (offset_ - sections_.planes_offset > sections_.planes_bytes) {
        return Damaged("has planes beyond their section");
      }
    }
    if (!in_.ok() || slice != layer.slices) return Bad("read units");
    entry->groups.push_back(std::move(units));
    return OkStatus();
  }

  Status ReadTable() {
    ShardTable table;
    CatalogTable entry;
    table.nodes.resize(in_.GetCount(4));
    for (std::string& node : table.nodes) node = in_.GetText();
    table.rows = in_.Get<int64_t>();
    table.columns = in_.Get<int64_t>();
    entry.format = {table.columns, in_.Get<uint8_t>()};
    if (!in_.ok() || table.nodes.empty() || table.rows < 1 ||
        table.columns < 1 || table.rows > kMaxSide ||
        table.columns > kMaxSide || entry.format.bits < kRowMinBits ||
        entry.format.bits > kRowMaxBits) {
      return Bad("tables");
    }
    for (int i = 0; i < 1 << entry.format.bits; ++i) {
      entry.values.push_back(in_.Get<int8_t>());
    }
    entry.energy = in_.Get<double>();
    entry.distortion = in_.Get<float>();
    entry.offset = static_cast<int64_t>(offset_);
    int64_t bytes = 0;
    const uint64_t left =
        sections_.rows_bytes - (offset_ - sections_.rows_offset);
    if (!CheckedMul(table.rows, entry.stride(), &bytes) ||
        static_cast<uint64_t>(bytes) > left ||
        NextSection(static_cast<uint64_t>(bytes)) > left) {
      return Damaged("has rows beyond their section");
    }
    offset_ += NextSection(static_cast<uint64_t>(bytes));
    catalog_.layout.tables.push_back(std::move(table));
    catalog_.tables.push_back(std::move(entry));
    return OkStatus();
  }

  // Blocks in order, and as many slices as they have at most.
  Status ReadSubNetwork() {
    const std::vector<int> layers = TransformerLayers(catalog_.layout);
    SubNetwork network;
    network.blocks.resize(in_.GetCount(4));
    for (int& block : network.blocks) {
      block =
          static_cast<int>(std::min<uint32_t>(in_.Get<uint32_t>(), kMaxSlices));
    }
    network.slices =
        static_cast<int>(std::min<uint32_t>(in_.Get<uint32_t>(), kMaxSlices));
    const auto& blocks = network.blocks;
    const bool rising =
        std::adjacent_find(blocks.begin(), blocks.end(),
                           std::greater_equal<int>()) == blocks.end();
    if (!in_.ok() || blocks.empty() || !rising ||
        blocks.back() >= static_cast<int>(layers.size()) ||
        network.slices < 1 ||
        !std::all_of(layers.begin(), layers.end(), [&](int layer) {
          return network.slices <= catalog_.layout.layers[layer].slices;
        })) {
      return Bad("sub-networks");
    }
    catalog_.sub_networks.push_back(std::move(network));
    return OkStatus();
  }

  ByteReader in_;
  const GetTensor& get_;
  const ShardSections& sections_;
  uint64_t offset_ = 0;
  ShardCatalog catalog_;
};

}  // namespace

Status DecodeImportance(std::span<const uint8_t> bytes, ShardCatalog* catalog) {
  ByteReader in(bytes);
  const auto kind = in.Get<uint8_t>();
  catalog->importance = static_cast<ImportanceKind>(kind);
  bool finite = true;
  const auto number = [&] {
    const float value = in.Get<float>();
    finite = finite && std::isfinite(value);
    return value;
  };
  for (size_t l = 0; l < catalog->layers.size(); ++l) {
    const int count = catalog->layout.layers[l].slices * catalog->groups();
    std::vector<float>& importance = catalog->layers[l].importance;
    for (int i = 0; i < count && in.ok(); ++i) importance.push_back(number());
  }
  for (SubNetwork& network : catalog->sub_networks) network.loss = number();
  if (!in.ok() || !in.AtEnd() || !finite || kind == 0 ||
      kind > static_cast<uint8_t>(ImportanceKind::kLabels)) {
    return Damaged("ends or goes wrong at offset " +
                   std::to_string(in.position()));
  }
  return OkStatus();
}

namespace {

// All but what is not a number, or of another file.
bool IsPossible(const PlanCheck& check, const ShardCatalog& catalog) {
  for (const std::vector<uint8_t>& layer : check.bits) {
    for (uint8_t bits : layer) {
      if (bits == 1 || bits > catalog.bits) return false;
    }
  }
  return check.sub_network >= -1 &&
         check.sub_network < static_cast<int>(catalog.sub_networks.size()) &&
         std::isfinite(check.loss) && check.error >= 0 &&
         std::isfinite(check.error) && check.same >= -1 && check.same <= 1;
}

}  // namespace

Status DecodeChecks(std::span<const uint8_t> bytes, ShardCatalog* catalog) {
  ByteReader in(bytes);
  const auto rows = in.Get<uint32_t>();
  size_t check_bytes = 16;
  for (const ShardLayer& layer : catalog->layout.layers) {
    check_bytes += static_cast<size_t>(layer.slices);
  }
  const size_t count = in.GetCount(check_bytes);
  bool possible = rows <= INT32_MAX;
  for (size_t i = 0; i < count && in.ok() && possible; ++i) {
    PlanCheck& check = catalog->checks.emplace_back();
    check.sub_network = in.Get<int32_t>();
    for (const ShardLayer& layer : catalog->layout.layers) {
      auto& bits = check.bits.emplace_back(static_cast<size_t>(layer.slices));
      for (uint8_t& of_slice : bits) of_slice = in.Get<uint8_t>();
    }
    check.loss = in.Get<float>();
    check.error = in.Get<float>();
    check.same = in.Get<float>();
    possible = IsPossible(check, *catalog);
  }
  if (!in.ok() || !in.AtEnd() || !possible) {
    return Damaged("ends or goes wrong at offset " +
                   std::to_string(in.position()));
  }
  catalog->check_rows = static_cast<int>(rows);
  return OkStatus();
}

Result<ShardCatalog> DecodeCatalog(std::span<const uint8_t> bytes,
                                   const GetTensor& get,
                                   const ShardSections& sections) {
  return CatalogDecoder(bytes, get, sections).Run();
}

}  // namespace stint::store

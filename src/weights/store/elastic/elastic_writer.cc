#include "weights/store/elastic/elastic_writer.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/checked_math.h"
#include "weights/store/package_sections.h"

namespace stint {
namespace {

constexpr int64_t kPage = store::kSectionAlignment;

}  // namespace

Result<ElasticWriter> ElasticWriter::Create(const std::string& path, int bits) {
  STINT_CHECK(bits >= kPlaneMinBits && bits <= kPlaneMaxBits);
  STINT_ASSIGN_OR_RETURN(auto sections, store::SectionWriter::Create(path));
  ElasticWriter writer(std::move(sections));
  writer.catalog_.bits = bits;
  STINT_RETURN_IF_ERROR(writer.sections_.Begin(store::SectionKind::kPlanes));
  return writer;
}

CatalogMatrix ElasticWriter::MakeEntry(const PlaneMatrix& matrix) {
  CatalogMatrix entry;
  entry.scales = Tensor::Vector<float>(matrix.scales);
  std::vector<uint32_t> places;
  std::vector<float> values;
  for (const PlaneBlock& block : matrix.blocks) {
    CatalogBlock found;
    found.dictionary = static_cast<int>(dictionaries_.size());
    dictionaries_.push_back(block.values);
    found.first_outlier = static_cast<int64_t>(places.size());
    found.outliers = static_cast<int64_t>(block.outliers.size());
    for (const PlaneOutlier& outlier : block.outliers) {
      places.push_back(static_cast<uint32_t>(
          outlier.output * block.shape.inputs + outlier.input));
      values.push_back(outlier.value);
    }
    found.energy = block.energy;
    for (int i = 0; i < kFidelities && block.energy > 0; ++i) {
      found.distortion[i] = static_cast<float>(block.error[i] / block.energy);
    }
    entry.blocks.push_back(found);
  }
  entry.outlier_places = Tensor::Vector<uint32_t>(places);
  entry.outlier_values = Tensor::Vector<float>(values);
  return entry;
}

Status ElasticWriter::AddLayer(const ShardLayer& layer,
                               std::span<const PlaneMatrix> matrices) {
  STINT_CHECK(matrices.size() == layer.matrices.size() &&
              catalog_.tables.empty());
  CatalogLayer entry;
  for (const PlaneMatrix& matrix : matrices) {
    STINT_CHECK(matrix.bits == catalog_.bits &&
                matrix.blocks.size() == static_cast<size_t>(layer.slices));
    entry.matrices.push_back(MakeEntry(matrix));
  }
  catalog_.layout.layers.push_back(layer);
  catalog_.layers.push_back(std::move(entry));
  for (int group = 0; group < catalog_.groups(); ++group) {
    STINT_RETURN_IF_ERROR(WriteGroup(layer, matrices, group));
  }
  return OkStatus();
}

Status ElasticWriter::WriteGroup(const ShardLayer& layer,
                                 std::span<const PlaneMatrix> matrices,
                                 int group) {
  auto& units = catalog_.layers.back().groups.emplace_back();
  const int per_unit = SlicesPerUnit(layer, group);
  for (int first = 0; first < layer.slices; first += per_unit) {
    ReadUnit unit;
    unit.first_slice = first;
    unit.slices = std::min(per_unit, layer.slices - first);
    std::string bytes;
    for (int slice = first; slice < first + unit.slices; ++slice) {
      for (const PlaneMatrix& matrix : matrices) {
        const PlaneBlock& block = matrix.blocks[slice];
        const int64_t words = block.shape.plane_words();
        bytes.append(reinterpret_cast<const char*>(
                         block.planes.data() + GroupFirstPlane(group) * words),
                     static_cast<size_t>(words * 8 * GroupPlanes(group)));
      }
    }
    bytes.resize(RoundUp(static_cast<int64_t>(bytes.size()), kPage));
    unit.offset = sections_.bytes();
    unit.bytes = static_cast<int64_t>(bytes.size());
    unit.checksum = store::Checksum(store::BytesOf(bytes));
    units.push_back(unit);
    STINT_RETURN_IF_ERROR(sections_.Append(bytes));
  }
  return OkStatus();
}

// Ends the planes, or a table and its padding.
Status ElasticWriter::EndPart() {
  if (part_ == store::SectionKind::kPlanes) {
    sections_.End();
    part_ = store::SectionKind::kRows;
    return sections_.Begin(part_);
  }
  CatalogTable& table = catalog_.tables.back();
  STINT_CHECK(next_row_ ==
              static_cast<uint64_t>(catalog_.layout.tables.back().rows));
  if (table.energy > 0) {
    table.distortion = static_cast<float>(row_error_ / table.energy);
  }
  const int64_t end = sections_.bytes();
  return sections_.Append(std::string(RoundUp(end, kPage) - end, '\0'));
}

Status ElasticWriter::BeginTable(const ShardTable& table,
                                 const RowCodes& codes) {
  STINT_RETURN_IF_ERROR(EndPart());
  CatalogTable entry;
  entry.format = codes.format;
  entry.offset = sections_.bytes();
  entry.values.assign(codes.values.begin(),
                      codes.values.begin() + (1 << codes.format.bits));
  catalog_.layout.tables.push_back(table);
  catalog_.tables.push_back(std::move(entry));
  next_row_ = 0;
  row_error_ = 0;
  return OkStatus();
}

Status ElasticWriter::AddRow(std::span<const uint8_t> row, double error,
                             double energy) {
  const uint32_t checksum = store::RowChecksum(row, next_row_++);
  row_error_ += error;
  catalog_.tables.back().energy += energy;
  std::string bytes(reinterpret_cast<const char*>(row.data()), row.size());
  bytes.append(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  return sections_.Append(bytes);
}

void ElasticWriter::FinishDictionaries() {
  std::vector<int8_t> values;
  for (int bits = kPlaneMinBits; bits <= catalog_.bits; ++bits) {
    for (const PlaneDictionaries& dictionary : dictionaries_) {
      const auto* first = dictionary.data() + PlaneDictionaryOffset(bits);
      values.insert(values.end(), first, first + (1 << bits));
    }
  }
  catalog_.dictionaries = Tensor::Vector<int8_t>(values);
  catalog_.dictionary_count = static_cast<int64_t>(dictionaries_.size());
}

// Those that fit how the model was cut.
void ElasticWriter::SetSubNetworks(const Package& package) {
  const std::vector<int> layers = TransformerLayers(catalog_.layout);
  for (const SubNetwork& network : package.sub_networks) {
    const bool fits =
        !network.blocks.empty() &&
        network.blocks.back() < static_cast<int>(layers.size()) &&
        std::all_of(layers.begin(), layers.end(), [&](int layer) {
          return network.slices <= catalog_.layout.layers[layer].slices;
        });
    if (fits) catalog_.sub_networks.push_back(network);
  }
}

Result<int64_t> ElasticWriter::Finish(const Package& package) {
  if (part_ == store::SectionKind::kPlanes) STINT_RETURN_IF_ERROR(EndPart());
  if (!catalog_.tables.empty()) STINT_RETURN_IF_ERROR(EndPart());
  sections_.End();
  FinishDictionaries();
  SetSubNetworks(package);
  STINT_RETURN_IF_ERROR(store::AddSections(package, &catalog_, &sections_));
  return sections_.Finish(store::kVersion);
}

}  // namespace stint

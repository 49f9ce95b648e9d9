#include "core/base/byte_writer.h"
#include "weights/store/elastic/catalog_codec.h"

namespace stint::store {
namespace {

class CatalogEncoder {
 public:
  CatalogEncoder(const ShardCatalog& catalog, const PutTensor& put)
      : catalog_(catalog), put_(put) {}

  std::string Run() {
    out_.Put(static_cast<uint8_t>(catalog_.bits));
    out_.PutCount(static_cast<size_t>(catalog_.dictionary_count));
    out_.Put(put_(catalog_.dictionaries));
    out_.PutCount(catalog_.layers.size());
    for (size_t i = 0; i < catalog_.layers.size(); ++i) {
      PutLayer(catalog_.layout.layers[i], catalog_.layers[i]);
    }
    out_.PutCount(catalog_.tables.size());
    for (size_t i = 0; i < catalog_.tables.size(); ++i) {
      PutTable(catalog_.layout.tables[i], catalog_.tables[i]);
    }
    out_.PutCount(catalog_.sub_networks.size());
    for (const SubNetwork& network : catalog_.sub_networks) {
      out_.PutCount(network.blocks.size());
      for (int block : network.blocks) out_.Put(static_cast<uint32_t>(block));
      out_.Put(static_cast<uint32_t>(network.slices));
    }
    return out_.Take();
  }

 private:
  void PutLayer(const ShardLayer& layer, const CatalogLayer& entry) {
    out_.Put(static_cast<uint8_t>(layer.kind));
    out_.PutCount(static_cast<size_t>(layer.slices));
    out_.PutCount(layer.matrices.size());
    for (size_t i = 0; i < layer.matrices.size(); ++i) {
      PutMatrix(layer.matrices[i]);
      PutEntry(entry.matrices[i]);
    }
    for (const auto& units : entry.groups) {
      out_.PutCount(units.size());
      for (const ReadUnit& unit : units) {
        out_.Put(static_cast<uint32_t>(unit.slices));
        out_.Put(unit.checksum);
      }
    }
  }

  void PutMatrix(const ShardMatrix& matrix) {
    out_.PutText(matrix.node);
    out_.Put(static_cast<uint32_t>(matrix.input));
    out_.Put(static_cast<uint8_t>(matrix.order));
    out_.Put(static_cast<uint8_t>(matrix.cut));
    out_.Put(matrix.outputs);
    out_.Put(matrix.inputs);
    for (int64_t bound : matrix.bounds) out_.Put(bound);
  }

  void PutEntry(const CatalogMatrix& entry) {
    out_.Put(put_(entry.scales));
    out_.Put(put_(entry.outlier_places));
    out_.Put(put_(entry.outlier_values));
    for (const CatalogBlock& block : entry.blocks) {
      out_.Put(static_cast<uint32_t>(block.dictionary));
      out_.Put(static_cast<uint32_t>(block.outliers));
      out_.Put(block.energy);
      for (int i = 0; i < catalog_.groups(); ++i) out_.Put(block.distortion[i]);
    }
  }

  void PutTable(const ShardTable& table, const CatalogTable& entry) {
    out_.PutCount(table.nodes.size());
    for (const std::string& node : table.nodes) out_.PutText(node);
    out_.Put(table.rows);
    out_.Put(table.columns);
    out_.Put(static_cast<uint8_t>(entry.format.bits));
    for (int8_t value : entry.values) out_.Put(value);
    out_.Put(entry.energy);
    out_.Put(entry.distortion);
  }

  const ShardCatalog& catalog_;
  const PutTensor& put_;
  ByteWriter out_;
};

}  // namespace

std::string EncodeImportance(const ShardCatalog& catalog) {
  ByteWriter out;
  out.Put(static_cast<uint8_t>(catalog.importance));
  for (const CatalogLayer& layer : catalog.layers) {
    for (float importance : layer.importance) out.Put(importance);
  }
  for (const SubNetwork& network : catalog.sub_networks) out.Put(network.loss);
  return out.Take();
}

std::string EncodeChecks(const ShardCatalog& catalog) {
  ByteWriter out;
  out.Put(static_cast<uint32_t>(catalog.check_rows));
  out.Put(static_cast<uint32_t>(catalog.checks.size()));
  for (const PlanCheck& check : catalog.checks) {
    out.Put(static_cast<int32_t>(check.sub_network));
    for (const std::vector<uint8_t>& layer : check.bits) {
      for (uint8_t bits : layer) out.Put(bits);
    }
    out.Put(check.loss);
    out.Put(check.error);
    out.Put(check.same);
  }
  return out.Take();
}

std::string EncodeCatalog(const ShardCatalog& catalog, const PutTensor& put) {
  return CatalogEncoder(catalog, put).Run();
}

}  // namespace stint::store

#include "cli/commands/inspect/inspect_parts.h"
#include "cli/options/run_options.h"

namespace stint::cli {
namespace {

Json DescribeSlice(const ShardCatalog& catalog, int layer, int slice) {
  Json bytes = Json::array(), distortion = Json::array();
  for (int bits = kPlaneMinBits; bits <= catalog.bits; ++bits) {
    bytes.push_back(ShardBytes(catalog, layer, slice, bits));
    distortion.push_back(ShardDistortion(catalog.layers[layer], slice, bits));
  }
  return {{"bytes", bytes}, {"distortion", distortion}};
}

Json DescribeLayer(const ShardCatalog& catalog, int number) {
  const ShardLayer& layer = catalog.layout.layers[number];
  const CatalogLayer& entry = catalog.layers[number];
  Json json;
  json["kind"] =
      layer.kind == LayerKind::kTransformer ? "transformer" : "operators";
  int64_t weights = 0, outliers = 0;
  for (size_t m = 0; m < layer.matrices.size(); ++m) {
    const ShardMatrix& matrix = layer.matrices[m];
    json["matrices"].push_back({{"node", matrix.node},
                                {"input", matrix.input},
                                {"outputs", matrix.outputs},
                                {"inputs", matrix.inputs}});
    weights += matrix.weights();
    outliers += entry.matrices[m].outlier_places.size();
  }
  json["weights"] = weights;
  json["outliers"] = outliers;
  Json read = Json::array(), bytes = Json::array(), distortion = Json::array();
  int64_t read_bytes = 0;
  for (int bits = kPlaneMinBits; bits <= catalog.bits; ++bits) {
    for (const ReadUnit& unit : entry.groups[bits - kPlaneMinBits]) {
      read_bytes += unit.bytes;
    }
    read.push_back(read_bytes);
    int64_t own = 0;
    for (int i = 0; i < layer.slices; ++i) {
      own += ShardBytes(catalog, number, i, bits);
    }
    bytes.push_back(own);
    distortion.push_back(LayerDistortion(entry, bits));
  }
  json["bytes"] = bytes;
  json["read_bytes"] = read;
  json["distortion"] = distortion;
  for (int i = 0; i < layer.slices; ++i) {
    json["slices"].push_back(DescribeSlice(catalog, number, i));
    if (entry.importance.empty()) continue;
    const auto first = entry.importance.begin() + i * catalog.groups();
    json["slices"].back()["importance"] =
        std::vector<float>(first, first + catalog.groups());
  }
  return json;
}

void PrintLine(const std::string& name, const std::string& cut,
               const Json& layer) {
  Print("%-11s %-12s", name.c_str(), cut.c_str());
  for (size_t i = 0; i < layer["bytes"].size(); ++i) {
    Print(" %9s %.4f", FormatBytes(layer["bytes"][i].get<int64_t>()).c_str(),
          layer["distortion"][i].get<double>());
  }
  Print("\n");
}

}  // namespace

void AddShards(const ShardCatalog& catalog, Json* json) {
  int64_t shards = 0;
  Json elastic;
  elastic["bits"] = {kPlaneMinBits, catalog.bits};
  elastic["importance"] = catalog.importance == ImportanceKind::kNone ? "none"
                          : catalog.importance == ImportanceKind::kDistortion
                              ? "distortion"
                              : "labels";
  elastic["layers"] = Json::array();
  for (size_t i = 0; i < catalog.layers.size(); ++i) {
    elastic["layers"].push_back(DescribeLayer(catalog, static_cast<int>(i)));
    shards += catalog.layout.layers[i].slices;
  }
  elastic["sub_networks"] = Json::array();
  for (const SubNetwork& network : catalog.sub_networks) {
    elastic["sub_networks"].push_back({{"blocks", network.blocks},
                                       {"slices", network.slices},
                                       {"loss", network.loss}});
  }
  elastic["tables"] = Json::array();
  for (size_t i = 0; i < catalog.tables.size(); ++i) {
    const ShardTable& table = catalog.layout.tables[i];
    const CatalogTable& entry = catalog.tables[i];
    elastic["tables"].push_back({{"nodes", table.nodes},
                                 {"rows", table.rows},
                                 {"columns", table.columns},
                                 {"bits", entry.format.bits},
                                 {"bytes", table.rows * entry.stride()},
                                 {"distortion", entry.distortion}});
  }
  (*json)["shards"] = shards;
  (*json)["elastic"] = std::move(elastic);
}

void PrintShards(const Json& elastic) {
  Print("%-11s %-12s", "shards", "cut");
  for (int bits = kPlaneMinBits; bits <= elastic["bits"][1].get<int>();
       ++bits) {
    Print(" %7d bits   ", bits);
  }
  Print("  (bytes, distortion)\n");
  int number = 0;
  for (const Json& layer : elastic["layers"]) {
    const bool heads = layer["kind"] == "transformer";
    PrintLine("layer " + std::to_string(number++),
              std::to_string(layer["slices"].size()) +
                  (heads ? " by heads" : " slices"),
              layer);
  }
  for (const Json& table : elastic["tables"]) {
    Print("%-11s %lld x %lld at %d bits: %s, distortion %.4f\n", "table",
          table["rows"].get<long long>(), table["columns"].get<long long>(),
          table["bits"].get<int>(),
          FormatBytes(table["bytes"].get<int64_t>()).c_str(),
          table["distortion"].get<double>());
  }
}

}  // namespace stint::cli

#include "weights/shards/catalog_bytes.h"

#include "core/base/heap_bytes.h"

namespace stint {
namespace {

int64_t HeapBytes(const ShardLayer& layer) {
  int64_t bytes = stint::HeapBytes(layer.matrices);
  for (const ShardMatrix& matrix : layer.matrices) {
    bytes += stint::HeapBytes(matrix.node) + stint::HeapBytes(matrix.bounds);
  }
  return bytes;
}

int64_t HeapBytes(const CatalogLayer& layer) {
  int64_t bytes = stint::HeapBytes(layer.matrices) +
                  stint::HeapBytes(layer.groups) +
                  stint::HeapBytes(layer.importance);
  for (const CatalogMatrix& matrix : layer.matrices) {
    bytes += stint::HeapBytes(matrix.blocks);
    for (const Tensor* tensor :
         {&matrix.scales, &matrix.outlier_places, &matrix.outlier_values}) {
      bytes += stint::HeapBytes(tensor->shape());
    }
  }
  for (const auto& group : layer.groups) bytes += stint::HeapBytes(group);
  return bytes;
}

}  // namespace

int64_t HeapBytes(const ShardCatalog& catalog) {
  int64_t bytes = stint::HeapBytes(catalog.layers) +
                  stint::HeapBytes(catalog.layout.layers) +
                  stint::HeapBytes(catalog.tables) +
                  stint::HeapBytes(catalog.sub_networks);
  for (const ShardLayer& layer : catalog.layout.layers) {
    bytes += HeapBytes(layer);
  }
  for (const CatalogLayer& layer : catalog.layers) bytes += HeapBytes(layer);
  for (const SubNetwork& network : catalog.sub_networks) {
    bytes += stint::HeapBytes(network.blocks);
  }
  return bytes;
}

}  // namespace stint

#pragma once
// The shard catalog as the bytes of its section. Tensors are elsewhere, as
// those of the graph.

#include <span>
#include <string>

#include "weights/shards/shard_catalog.h"
#include "weights/store/graph_codec.h"

namespace stint::store {

// Without importance, which is a section of its own.
std::string EncodeCatalog(const ShardCatalog& catalog, const PutTensor& put);
std::string EncodeImportance(const ShardCatalog& catalog);
std::string EncodeChecks(const ShardCatalog& catalog);

// Where the sections lie that a catalog describes.
struct ShardSections {
  uint64_t planes_offset = 0;
  uint64_t planes_bytes = 0;
  uint64_t rows_offset = 0;
  uint64_t rows_bytes = 0;
};

// kDamaged for what does not fit itself or the sections.
Result<ShardCatalog> DecodeCatalog(std::span<const uint8_t> bytes,
                                   const GetTensor& get,
                                   const ShardSections& sections);

// Adds what was measured to a catalog without it; kDamaged when it is of
// another one.
Status DecodeImportance(std::span<const uint8_t> bytes, ShardCatalog* catalog);
Status DecodeChecks(std::span<const uint8_t> bytes, ShardCatalog* catalog);

}  // namespace stint::store

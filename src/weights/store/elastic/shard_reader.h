#pragma once
// Reads and checks planes and rows of an elastic file.

#include <span>

#include "weights/package/package.h"

namespace stint {

// The unit's bytes have its checksum; kDamaged names the offset otherwise.
Status CheckUnit(const ReadUnit& unit, std::span<const uint8_t> bytes);
// The same of a row with the checksum that follows it.
Status CheckRow(const CatalogTable& table, int64_t number,
                std::span<const uint8_t> bytes);

// A matrix at `bits`, which the catalog must have: [outputs, inputs]. `layer`
// and `matrix` count in the catalog.
Status ReadMatrix(const ShardFile& shards, int layer, int matrix, int bits,
                  float* to);
// The same as the elements of the constant that the matrix is.
Status RestoreMatrix(const ShardFile& shards, int layer, int matrix,
                     Tensor* constant);
// One row of a table.
Status ReadRow(const ShardFile& shards, int table, int64_t row, float* to);

// Gives all constants of the graph that are shards their elements, at the
// highest fidelity. kDamaged names the section and the offset of what does not
// fit.
Status RestoreShards(const ShardFile& shards, Graph* graph);

}  // namespace stint

#pragma once
// Writes an elastic .stint file layer by layer, so that no more than one layer
// of codes is in memory at a time.

#include <span>
#include <string>
#include <vector>

#include "weights/package/package.h"
#include "weights/planes/plane_matrix.h"
#include "weights/planes/row_codes.h"
#include "weights/store/section_writer.h"

namespace stint {

class ElasticWriter {
 public:
  // Fidelities of 2 to `bits` bits. The file appears at `path` when it is
  // complete.
  static Result<ElasticWriter> Create(const std::string& path, int bits);

  // All layers come first, then all tables, in the order of their layout.
  // Matrices are those of the layer, their blocks its slices.
  Status AddLayer(const ShardLayer& layer,
                  std::span<const PlaneMatrix> matrices);
  // Announces a table; its rows follow.
  Status BeginTable(const ShardTable& table, const RowCodes& codes);
  // Of format.bytes() bytes, with its squared error and energy.
  Status AddRow(std::span<const uint8_t> row, double error, double energy);

  // Writes everything else; in the package's graph, constants that are shards
  // have no elements. Returns the bytes of the file.
  Result<int64_t> Finish(const Package& package);

 private:
  explicit ElasticWriter(store::SectionWriter sections)
      : sections_(std::move(sections)) {}
  Status WriteGroup(const ShardLayer& layer,
                    std::span<const PlaneMatrix> matrices, int group);
  CatalogMatrix MakeEntry(const PlaneMatrix& matrix);
  Status EndPart();
  void FinishDictionaries();
  void SetSubNetworks(const Package& package);

  store::SectionWriter sections_;
  ShardCatalog catalog_;
  std::vector<PlaneDictionaries> dictionaries_;
  uint64_t next_row_ = 0;
  double row_error_ = 0;  // of the table that is being written
  store::SectionKind part_ = store::SectionKind::kPlanes;
};

}  // namespace stint

#pragma once
// What a .stint file says of its shards: where their planes lie, what their
// codes mean, what each fidelity costs. Planes themselves are not read.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/platform/file.h"
#include "stint/tensor.h"
#include "weights/planes/row_format.h"
#include "weights/shards/shard_layout.h"
#include "weights/shards/sub_network.h"

namespace stint {

// Bytes on storage that are read and checked as one: planes of neighboring
// slices of a layer, zeros at the end.
struct ReadUnit {
  int64_t offset = 0;  // in the file, a multiple of 4096, as are the bytes
  int64_t bytes = 0;
  uint64_t checksum = 0;
  int first_slice = 0;
  int slices = 0;
};

// One slice of a matrix.
struct CatalogBlock {
  int dictionary = 0;
  int64_t first_outlier = 0;  // among those of the matrix
  int64_t outliers = 0;
  double energy = 0;  // sum of squared weights
  // By bits - 2: squared error over the energy.
  std::array<float, kFidelities> distortion{};
};

struct CatalogMatrix {
  Tensor scales;  // float32 [outputs]
  // Outliers by slice, then output, then input. Place: output * inputs of the
  // block + input (uint32); value: the weight (float32).
  Tensor outlier_places;
  Tensor outlier_values;
  std::vector<CatalogBlock> blocks;  // by slice
};

struct CatalogLayer {
  std::vector<CatalogMatrix> matrices;  // as in the layout
  // Units by group: planes 0 and 1, then plane 2, plane 3, ...
  std::vector<std::vector<ReadUnit>> groups;
  // [slices, bits - 1]: what it costs to have this shard at so many bits, from
  // 2 on; empty when importance has not been measured.
  std::vector<float> importance;
};

struct CatalogTable {
  RowFormat format;
  int64_t offset = 0;          // of row 0 in the file
  std::vector<int8_t> values;  // 2^bits
  double energy = 0;
  float distortion = 0;

  // From one row to the next: its bytes and their checksum.
  int64_t stride() const { return format.bytes() + 4; }
};

enum class ImportanceKind : uint8_t {
  kNone = 0,
  kDistortion = 1,  // of outputs, from inputs without labels
  kLabels = 2,      // loss of the task's metric
};

// What bits of shards cost on rows of data that importance was not measured
// on.
struct PlanCheck {
  int sub_network = -1;  // -1: the whole
  // By layer and slice; 0: left out.
  std::vector<std::vector<uint8_t>> bits;
  float loss = 0;   // of answers, mean over the rows
  float error = 0;  // its standard error
  // Share of rows with the class of the whole; below 0: answers are no classes.
  float same = 0;
};

struct ShardCatalog {
  int bits = kPlaneMaxBits;  // highest fidelity
  ImportanceKind importance = ImportanceKind::kNone;
  ShardLayout layout;
  // int8: the 2-bit dictionaries of all blocks, then those of 3 bits, ...
  Tensor dictionaries;
  int64_t dictionary_count = 0;
  std::vector<CatalogLayer> layers;  // as in the layout
  std::vector<CatalogTable> tables;
  std::vector<SubNetwork> sub_networks;  // the whole is none of them
  std::vector<PlanCheck> checks;         // with importance only; may be none
  int check_rows = 0;                    // of each
  // What the tensors above are mapped from; null: they have memory of their
  // own.
  std::shared_ptr<const MappedFile> file;

  int groups() const { return bits - 1; }
  // A dictionary's 2^bits values.
  std::span<const int8_t> Values(int dictionary, int at_bits) const;
  // Gives back the memory of mapped tensors until they are read again: around
  // the few bytes that are wanted the system maps 64 KiB.
  void ReleaseTensors() const;
};

// Tells the shards of one file from those of another.
uint64_t FingerprintOf(const ShardCatalog& catalog);

// Numbers of the layers that are transformer blocks.
std::vector<int> TransformerLayers(const ShardLayout& layout);

// What the layers of a file took on one kind of machine, as texts that the
// sessions there understand.
struct ShippedCosts {
  std::string machine;  // unique in a file
  std::string times;
};

// Shards of an open file, which `file` keeps mapped; null when the caller keeps
// the bytes.
struct ShardFile {
  ShardCatalog catalog;
  std::vector<ShippedCosts> costs;
  std::span<const uint8_t> bytes;
  std::shared_ptr<const MappedFile> file;
};

// Planes in a group of read units: planes 0 and 1 are group 0.
constexpr int GroupPlanes(int group) { return group == 0 ? 2 : 1; }
constexpr int GroupFirstPlane(int group) { return group == 0 ? 0 : group + 1; }
constexpr int GroupOfPlane(int plane) { return plane < 2 ? 0 : plane - 1; }

// Bytes of one slice of a layer in a group: for each matrix its block's planes
// of that group.
int64_t SliceBytes(const ShardLayer& layer, int slice, int group);

// Bytes to read for a shard at so many bits, outliers included.
int64_t ShardBytes(const ShardCatalog& catalog, int layer, int slice, int bits);
// Squared error over the energy of a shard's weights.
double ShardDistortion(const CatalogLayer& layer, int slice, int bits);
// The same of all slices.
double LayerDistortion(const CatalogLayer& layer, int bits);

// Outliers of a block as decoding takes them.
std::vector<PlaneOutlier> OutliersOf(const ShardMatrix& matrix,
                                     const CatalogMatrix& entry, int slice);

// How many slices each unit of a group has: the fewest with which padding to
// pages stays under 5 %, else the number that pads least.
int SlicesPerUnit(const ShardLayer& layer, int group);

}  // namespace stint

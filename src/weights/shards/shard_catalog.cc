#include "weights/shards/shard_catalog.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/base/checksum.h"

namespace stint {
namespace {

constexpr double kMaxPadding = 0.05;
constexpr int64_t kPage = 4096;

// Zeros over planes when every unit has that many slices.
double Padding(const ShardLayer& layer, int group, int per_unit) {
  int64_t planes = 0, units = 0;
  for (int first = 0; first < layer.slices; first += per_unit) {
    int64_t bytes = 0;
    const int end = std::min(first + per_unit, layer.slices);
    for (int i = first; i < end; ++i) bytes += SliceBytes(layer, i, group);
    planes += bytes;
    units += RoundUp(bytes, kPage);
  }
  return planes == 0 ? 0 : static_cast<double>(units - planes) / planes;
}

// Sums errors and energies of blocks.
class Distortion {
 public:
  void Add(const CatalogBlock& block, int bits) {
    error_ += block.distortion[bits - kPlaneMinBits] * block.energy;
    energy_ += block.energy;
  }
  double relative() const { return energy_ > 0 ? error_ / energy_ : 0; }

 private:
  double error_ = 0;
  double energy_ = 0;
};

}  // namespace

uint64_t FingerprintOf(const ShardCatalog& catalog) {
  std::vector<uint64_t> sums = {
      Checksum({catalog.dictionaries.data<uint8_t>(),
                static_cast<size_t>(catalog.dictionaries.size())})};
  for (const CatalogLayer& layer : catalog.layers) {
    for (const std::vector<ReadUnit>& group : layer.groups) {
      for (const ReadUnit& unit : group) sums.push_back(unit.checksum);
    }
  }
  return Checksum({reinterpret_cast<const uint8_t*>(sums.data()),
                   sums.size() * sizeof(uint64_t)});
}

std::span<const int8_t> ShardCatalog::Values(int dictionary,
                                             int at_bits) const {
  const int64_t size = int64_t{1} << at_bits;
  return {dictionaries.data<int8_t>() +
              dictionary_count * PlaneDictionaryOffset(at_bits) +
              dictionary * size,
          static_cast<size_t>(size)};
}

void ShardCatalog::ReleaseTensors() const {
  if (file == nullptr) return;
  const auto begin_of = [](const Tensor& tensor) {
    return static_cast<const uint8_t*>(tensor.raw());
  };
  // They follow one another in the file, a part of a page between two.
  const uint8_t* first = begin_of(dictionaries);
  const uint8_t* last = first + dictionaries.bytes();
  for (const CatalogLayer& layer : layers) {
    if (layer.matrices.empty()) continue;
    const Tensor& end = layer.matrices.back().outlier_values;
    first = std::min(first, begin_of(layer.matrices.front().scales));
    last = std::max(last, begin_of(end) + end.bytes());
  }
  file->Release({first, last});
}

std::vector<int> TransformerLayers(const ShardLayout& layout) {
  std::vector<int> numbers;
  for (size_t i = 0; i < layout.layers.size(); ++i) {
    if (layout.layers[i].kind == LayerKind::kTransformer) {
      numbers.push_back(static_cast<int>(i));
    }
  }
  return numbers;
}

int64_t SliceBytes(const ShardLayer& layer, int slice, int group) {
  int64_t words = 0;
  for (const ShardMatrix& matrix : layer.matrices) {
    words += matrix.BlockShape(slice).plane_words();
  }
  return words * 8 * GroupPlanes(group);
}

int64_t ShardBytes(const ShardCatalog& catalog, int layer, int slice,
                   int bits) {
  int64_t bytes = 0;
  for (int group = 0; group < bits - 1; ++group) {
    bytes += SliceBytes(catalog.layout.layers[layer], slice, group);
  }
  for (const CatalogMatrix& matrix : catalog.layers[layer].matrices) {
    bytes += 8 * matrix.blocks[slice].outliers;
  }
  return bytes;
}

double ShardDistortion(const CatalogLayer& layer, int slice, int bits) {
  Distortion sum;
  for (const CatalogMatrix& matrix : layer.matrices) {
    sum.Add(matrix.blocks[slice], bits);
  }
  return sum.relative();
}

double LayerDistortion(const CatalogLayer& layer, int bits) {
  Distortion sum;
  for (const CatalogMatrix& matrix : layer.matrices) {
    for (const CatalogBlock& block : matrix.blocks) sum.Add(block, bits);
  }
  return sum.relative();
}

std::vector<PlaneOutlier> OutliersOf(const ShardMatrix& matrix,
                                     const CatalogMatrix& entry, int slice) {
  const CatalogBlock& block = entry.blocks[slice];
  const int64_t inputs = matrix.BlockShape(slice).inputs;
  std::vector<PlaneOutlier> outliers;
  for (int64_t i = 0; i < block.outliers; ++i) {
    const int64_t at = block.first_outlier + i;
    const int64_t place = entry.outlier_places.data<uint32_t>()[at];
    outliers.push_back({static_cast<int32_t>(place / inputs),
                        static_cast<int32_t>(place % inputs),
                        entry.outlier_values.data<float>()[at]});
  }
  return outliers;
}

int SlicesPerUnit(const ShardLayer& layer, int group) {
  int best = 1;
  double least = Padding(layer, group, 1);
  for (int n = 2; n <= layer.slices && least >= kMaxPadding; ++n) {
    const double padding = Padding(layer, group, n);
    if (padding < least) {
      least = padding;
      best = n;
    }
  }
  return best;
}

}  // namespace stint

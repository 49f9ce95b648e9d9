#include "weights/planes/quantize_matrix.h"

#include <cmath>
#include <memory>
#include <span>

#include "core/base/check.h"
#include "weights/planes/channel_scales.h"
#include "weights/planes/nested_dictionary.h"

namespace stint {
namespace {

// Quantizes one block after the other.
class BlockQuantizer {
 public:
  BlockQuantizer(const MatrixRows& rows, const std::vector<float>& scales,
                 int bits)
      : rows_(rows), scales_(scales), bits_(bits) {}

  void Run(PlaneBlock* block) {
    block_ = block;
    shape_ = block->shape;
    Load();
    const NestedDictionary dictionary = Fit();
    block->values = dictionary.values;
    block->planes.assign(static_cast<size_t>(shape_.plane_words() * bits_), 0);
    next_outlier_ = 0;
    for (int64_t i = 0; i < shape_.outputs; ++i) Encode(dictionary, i);
  }

 private:
  float scale(int64_t output) const { return scales_[block_->output + output]; }
  std::span<float> Units(int64_t output) {
    return {units_.data() + output * shape_.inputs,
            static_cast<size_t>(shape_.inputs)};
  }

  // Weights in units of the grid; outliers are taken out.
  void Load() {
    units_.resize(static_cast<size_t>(shape_.outputs * shape_.inputs));
    row_.resize(static_cast<size_t>(rows_.inputs));
    block_->outliers.clear();
    block_->energy = 0;
    for (int64_t i = 0; i < shape_.outputs; ++i) {
      rows_.copy(block_->output + i, row_.data());
      const float inverse = scale(i) > 0 ? 1 / scale(i) : 0;
      std::span<float> units = Units(i);
      for (int64_t j = 0; j < shape_.inputs; ++j) {
        const float w = row_[block_->input + j];
        block_->energy += static_cast<double>(w) * w;
        units[j] = w * inverse;
        if (std::abs(units[j]) <= kOutlierLimit) continue;
        block_->outliers.push_back(
            {static_cast<int32_t>(i), static_cast<int32_t>(j), w});
      }
    }
  }

  // Errors count as they are in the weights, that is by the squared scale.
  NestedDictionary Fit() {
    histogram_ = Histogram();
    size_t outlier = 0;
    for (int64_t i = 0; i < shape_.outputs; ++i) {
      const double s = scale(i);
      std::span<float> units = Units(i);
      size_t begin = 0;
      for (; outlier < block_->outliers.size() &&
             block_->outliers[outlier].output == i;
           ++outlier) {
        const size_t at = block_->outliers[outlier].input;
        histogram_.Add(units.subspan(begin, at - begin), s * s);
        begin = at + 1;
      }
      histogram_.Add(units.subspan(begin), s * s);
    }
    histogram_.Finish();
    return FitNestedDictionary(histogram_);
  }

  void Encode(const NestedDictionary& dictionary, int64_t output) {
    std::span<const float> units = Units(output);
    const double square = static_cast<double>(scale(output)) * scale(output);
    PlaneErrors error{};
    for (int64_t j = 0; j < shape_.inputs; ++j) {
      const uint8_t code = dictionary.codes[Histogram::Bin(units[j])];
      PutCode(output, j, code);
      if (TakeOutlier(output, j)) continue;
      for (int b = 0; b < kFidelities; ++b) {
        const int bits = b + kPlaneMinBits;
        const double off =
            units[j] - dictionary.values[PlaneDictionaryOffset(bits) +
                                         (code >> (kPlaneMaxBits - bits))];
        error[b] += off * off;
      }
    }
    for (int b = 0; b < kFidelities; ++b) {
      block_->error[b] += square * error[b];
    }
  }

  bool TakeOutlier(int64_t output, int64_t input) {
    if (next_outlier_ == block_->outliers.size()) return false;
    const PlaneOutlier& next = block_->outliers[next_outlier_];
    if (next.output != output || next.input != input) return false;
    ++next_outlier_;
    return true;
  }

  void PutCode(int64_t output, int64_t input, uint8_t code) {
    const int64_t word = shape_.word(output, input);
    const int bit = PlaneBlockShape::bit(output, input);
    for (int p = 0; p < bits_; ++p) {
      const uint64_t value = code >> (kPlaneMaxBits - 1 - p) & 1;
      block_->planes[p * shape_.plane_words() + word] |= value << bit;
    }
  }

  const MatrixRows& rows_;
  const std::vector<float>& scales_;
  const int bits_;
  PlaneBlock* block_ = nullptr;
  PlaneBlockShape shape_;
  std::vector<float> row_;
  std::vector<float> units_;
  Histogram histogram_;
  size_t next_outlier_ = 0;
};

// Blocks without contents.
std::vector<PlaneBlock> CutBlocks(const MatrixRows& rows,
                                  const QuantizeOptions& options) {
  const bool by_outputs = options.cut == PlaneCut::kOutputs;
  const int64_t size = by_outputs ? rows.outputs : rows.inputs;
  std::vector<PlaneBlock> blocks(options.begins.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const int64_t begin = options.begins[i];
    const int64_t end = i + 1 < blocks.size() ? options.begins[i + 1] : size;
    STINT_CHECK(begin >= 0 && begin < end && end <= size);
    blocks[i].shape = {rows.outputs, rows.inputs};
    (by_outputs ? blocks[i].output : blocks[i].input) = begin;
    (by_outputs ? blocks[i].shape.outputs : blocks[i].shape.inputs) =
        end - begin;
  }
  return blocks;
}

}  // namespace

Result<PlaneMatrix> QuantizeMatrix(const MatrixRows& rows,
                                   const QuantizeOptions& options,
                                   ThreadPool* pool) {
  STINT_CHECK(options.bits >= kPlaneMinBits && options.bits <= kPlaneMaxBits);
  PlaneMatrix matrix;
  matrix.outputs = rows.outputs;
  matrix.inputs = rows.inputs;
  matrix.bits = options.bits;
  STINT_ASSIGN_OR_RETURN(matrix.scales, FindChannelScales(rows, pool));
  matrix.blocks = CutBlocks(rows, options);
  pool->ParallelFor(static_cast<int64_t>(matrix.blocks.size()), 1,
                    [&](int64_t begin, int64_t end) {
                      const auto quantizer = std::make_unique<BlockQuantizer>(
                          rows, matrix.scales, options.bits);
                      for (int64_t i = begin; i < end; ++i) {
                        quantizer->Run(&matrix.blocks[i]);
                      }
                    });
  return matrix;
}

}  // namespace stint

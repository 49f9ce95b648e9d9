#include "weights/planes/quantize_matrix.h"

#include <algorithm>
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
    if (shape_.outputs == 0 || shape_.inputs == 0) return;
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
    rows_at_once_.resize(static_cast<size_t>(kRowsAtOnce * rows_.inputs));
    block_->outliers.clear();
    block_->energy = 0;
    for (int64_t i = 0; i < shape_.outputs; i += kRowsAtOnce) {
      const int64_t count = std::min(kRowsAtOnce, shape_.outputs - i);
      rows_.copy(block_->output + i,
                 std::span(rows_at_once_).first(count * rows_.inputs));
      for (int64_t r = 0; r < count; ++r) {
        LoadRow(i + r, rows_at_once_.data() + r * rows_.inputs + block_->input);
      }
    }
  }
  void LoadRow(int64_t output, const float* from) {
    const float inverse = scale(output) > 0 ? 1 / scale(output) : 0;
    const std::span<float> units = Units(output);
    for (int64_t j = 0; j < shape_.inputs; ++j) {
      block_->energy += static_cast<double>(from[j]) * from[j];
      units[j] = from[j] * inverse;
      if (std::abs(units[j]) <= kOutlierLimit) continue;
      block_->outliers.push_back(
          {static_cast<int32_t>(output), static_cast<int32_t>(j), from[j]});
    }
  }

  // Errors count as they are in the weights, that is by the squared scale.
  NestedDictionary Fit() {
    histogram_ = WeightHistogram();
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
      if (TakeOutlier(output, j)) {
        PutCode(output, j, OutlierCode(units[j]));
        continue;
      }
      const uint8_t code = dictionary.codes[WeightHistogram::Bin(units[j])];
      PutCode(output, j, code);
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
  std::vector<float> rows_at_once_;
  std::vector<float> units_;
  WeightHistogram histogram_;
  size_t next_outlier_ = 0;
};

// Blocks without contents.
std::vector<PlaneBlock> CutBlocks(const MatrixRows& rows,
                                  const QuantizeOptions& options) {
  const bool by_outputs = options.cut == PlaneCut::kOutputs;
  const std::vector<int64_t>& bounds = options.bounds;
  STINT_CHECK(bounds.size() > 1 && bounds.front() == 0 &&
              bounds.back() == (by_outputs ? rows.outputs : rows.inputs));
  std::vector<PlaneBlock> blocks(bounds.size() - 1);
  for (size_t i = 0; i < blocks.size(); ++i) {
    STINT_CHECK(bounds[i] <= bounds[i + 1]);
    blocks[i].shape = {rows.outputs, rows.inputs};
    (by_outputs ? blocks[i].output : blocks[i].input) = bounds[i];
    (by_outputs ? blocks[i].shape.outputs : blocks[i].shape.inputs) =
        bounds[i + 1] - bounds[i];
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

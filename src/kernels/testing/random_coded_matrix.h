#pragma once
// A coded matrix of random weights cut any way, for tests, and the values it
// stands for.

#include <cstdint>
#include <vector>

#include "kernels/gemm_codes/coded_matrix.h"
#include "kernels/testing/floats.h"
#include "kernels/testing/planes.h"

namespace stint {

struct MatrixCuts {
  std::vector<int64_t> outputs;  // of each band
  std::vector<int64_t> inputs;   // of each block of a band
  std::vector<int> bits;         // of the blocks in turn
};

class RandomCodedMatrix {
 public:
  // Of all weights, one in `outlier_step` is an outlier; 0: none.
  RandomCodedMatrix(const MatrixCuts& cuts, int64_t outlier_step = 0) {
    for (int64_t outputs : cuts.outputs) {
      k_ = 0;
      for (int64_t inputs : cuts.inputs) {
        AddBlock({outputs, inputs},
                 cuts.bits[planes_.size() % cuts.bits.size()]);
        k_ += inputs;
      }
      n_ += outputs;
    }
    for (size_t i = 0; i < blocks_.size(); ++i) Point(i);
    if (outlier_step > 0) AddOutliers(outlier_step);
  }

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  CodedMatrix matrix() const { return {blocks_, outliers_}; }
  int Value(int64_t output, int64_t input) const {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const int64_t o = output - blocks_[i].output;
      const int64_t j = input - blocks_[i].input;
      if (o >= 0 && o < blocks_[i].shape.outputs && j >= 0 &&
          j < blocks_[i].shape.inputs) {
        return planes_[i].Value(o, j, blocks_[i].bits);
      }
    }
    return 0;
  }

 private:
  void AddBlock(const PlaneBlockShape& shape, int bits) {
    planes_.emplace_back(shape, planes_.size() + 1);
    CodedBlock block;
    block.output = n_;
    block.input = k_;
    block.shape = shape;
    block.bits = bits;
    blocks_.push_back(block);
  }
  void Point(size_t i) {
    blocks_[i].values = planes_[i].values(blocks_[i].bits);
    for (int p = 0; p < blocks_[i].bits; ++p) {
      blocks_[i].planes[p] = planes_[i].plane(p);
    }
  }
  void AddOutliers(int64_t step) {
    Random random(99);
    for (int64_t at = 0; at < n_ * k_; ++at) {
      if (random.NextInt(step) != 0) continue;
      outliers_.push_back({static_cast<int32_t>(at / k_),
                           static_cast<int32_t>(at % k_),
                           static_cast<float>(random.NextDouble() * 2 - 1)});
    }
  }

  int64_t n_ = 0;
  int64_t k_ = 0;
  std::vector<RandomPlanes> planes_;
  std::vector<CodedBlock> blocks_;
  std::vector<CodedOutlier> outliers_;
};

}  // namespace stint

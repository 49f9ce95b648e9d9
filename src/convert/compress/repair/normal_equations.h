#pragma once
// The sums behind a least-squares fit of a layer: what its windows hold at many
// places, multiplied with each other and with what it should give there.

#include <functional>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/platform/thread_pool.h"
#include "kernels/gemm_f32/gemm_f32.h"
#include "model/ops/linear/conv.h"
#include "stint/tensor.h"

namespace stint {

// A layer over images [n, channels, rows, columns] of one sample, float32. Rows
// of matrices are images of one pixel.
struct LayerSample {
  Window window;  // resolved, of two dimensions
  Tensor input;
  Tensor output;  // that it should give
};

struct NormalEquations {
  int64_t terms = 0;  // of one output: its weights, and 1 for its bias
  int64_t outputs = 0;
  // Means over the places that were looked at.
  std::vector<float> squares;   // [terms, terms]
  std::vector<float> products;  // [outputs, terms]
};

// Channels of a group: all of them where there is one group.
struct ChannelRange {
  int64_t first = 0;
  int64_t count = 0;
};

// What is read of a layer: one group of its channels at some of its places.
struct LayerPlaces {
  ChannelRange in;
  ChannelRange out;
  int64_t taps = 1;   // of a window
  int64_t total = 0;  // places of all samples
  int64_t most = 0;   // that are looked at, evenly spread, the same each time
};

// What windows hold at places that are looked at, and what the layer should
// give there: a row for each term, 1, and each output; a column per place.
class PlaceColumns {
 public:
  PlaceColumns(const LayerPlaces& places, int64_t columns, ThreadPool* pool);

  // Looks at a sample; `full` is called when all columns are there, and then
  // they start anew.
  void Add(const LayerSample& sample, const std::function<void()>& full);

  int64_t terms() const { return terms_; }
  int64_t rows() const { return rows_; }
  int64_t count() const { return count_; }
  int64_t stride() const { return stride_; }
  const float* data() const { return data_.data(); }

 private:
  struct Place {
    const float* input = nullptr;  // its image, first channel
    const float* wanted = nullptr;
    int64_t top = 0;  // of its window; may be outside of the image
    int64_t left = 0;
  };
  Place At(const LayerSample& sample, int64_t index) const;
  void Write(const LayerSample& sample, std::span<const Place> places);
  void WriteRow(const LayerSample& sample, int64_t row,
                std::span<const Place> places, float* to) const;
  int64_t NextPlace();

  const LayerPlaces places_;
  ThreadPool* pool_;
  const int64_t terms_;
  const int64_t rows_;
  const int64_t stride_;
  std::vector<float> data_;  // [rows, stride]
  int64_t count_ = 0;        // columns that are there
  int64_t before_ = 0;       // places of samples that are through
  int64_t chosen_ = 0;       // places that were chosen
  int64_t next_ = 0;         // the next to look at
  Random random_{1};
};

// The sums over all samples, one added after the other.
class ProductSum {
 public:
  ProductSum(const LayerPlaces& places, ThreadPool* pool);
  void Add(const LayerSample& sample);
  NormalEquations Finish();

  // What it takes, for a layer of so many terms and outputs.
  static int64_t Bytes(int64_t terms, int64_t outputs);

 private:
  void Flush();

  PlaceColumns columns_;
  ThreadPool* pool_;
  const GemmF32Kernel& kernel_;
  int64_t summed_ = 0;  // places
  std::vector<float> packed_;
  std::vector<float> sums_;  // [terms, rows]
  std::vector<float> next_;
};

// Places by which weights are judged.
class JudgedPlaces {
 public:
  JudgedPlaces(const LayerPlaces& places, ThreadPool* pool);
  void Add(const LayerSample& sample) {
    columns_.Add(sample, [] {});
  }

  // Sums of squares over places and outputs.
  struct Squares {
    double error = 0;  // of what weights [outputs, terms] give
    double size = 0;   // of what is wanted
  };
  Squares Judge(const std::vector<float>& weights) const;

 private:
  PlaceColumns columns_;
  const int64_t outputs_;
  ThreadPool* pool_;
};

}  // namespace stint

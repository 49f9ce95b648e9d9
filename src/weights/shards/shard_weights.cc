#include "weights/shards/shard_weights.h"

#include <algorithm>

namespace stint {
namespace {

// Inputs of a matrix in window order: channels and places of the window.
struct WindowInputs {
  int64_t channels = 1;
  int64_t places = 1;
};

WindowInputs WindowOf(const Shape& shape) {
  WindowInputs window{shape[1], 1};
  for (size_t i = 2; i < shape.size(); ++i) window.places *= shape[i];
  return window;
}

// [a, b] to [b, a].
void TransposeMatrix(const float* from, int64_t a, int64_t b, float* to) {
  for (int64_t i = 0; i < a; ++i) {
    for (int64_t j = 0; j < b; ++j) to[j * a + i] = from[i * b + j];
  }
}

}  // namespace

PlaneBlockShape MatrixShape(const Shape& shape, WeightOrder order) {
  if (order == WeightOrder::kRows) return {shape[0], shape[1]};
  if (order == WeightOrder::kColumns) return {shape[1], shape[0]};
  const WindowInputs window = WindowOf(shape);
  return {shape[0], window.channels * window.places};
}

void CopyWeightRows(const Tensor& constant, WeightOrder order, int64_t first,
                    std::span<float> to) {
  const auto [outputs, inputs] = MatrixShape(constant.shape(), order);
  const int64_t count = static_cast<int64_t>(to.size()) / inputs;
  const float* from = constant.data<float>();
  if (order == WeightOrder::kRows) {
    std::copy_n(from + first * inputs, to.size(), to.data());
  } else if (order == WeightOrder::kColumns) {
    for (int64_t j = 0; j < inputs; ++j) {
      for (int64_t i = 0; i < count; ++i) {
        to[i * inputs + j] = from[j * outputs + first + i];
      }
    }
  } else {
    const WindowInputs window = WindowOf(constant.shape());
    for (int64_t i = 0; i < count; ++i) {
      TransposeMatrix(from + (first + i) * inputs, window.channels,
                      window.places, to.data() + i * inputs);
    }
  }
}

void SetWeights(const float* from, WeightOrder order, Tensor* constant) {
  const auto [outputs, inputs] = MatrixShape(constant->shape(), order);
  float* to = constant->data<float>();
  if (order == WeightOrder::kRows) {
    std::copy_n(from, outputs * inputs, to);
  } else if (order == WeightOrder::kColumns) {
    TransposeMatrix(from, outputs, inputs, to);
  } else {
    const WindowInputs window = WindowOf(constant->shape());
    for (int64_t i = 0; i < outputs; ++i) {
      TransposeMatrix(from + i * inputs, window.places, window.channels,
                      to + i * inputs);
    }
  }
}

}  // namespace stint

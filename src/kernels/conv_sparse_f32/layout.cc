#include "kernels/conv_sparse_f32/layout.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace stint {
namespace {

constexpr std::string_view kFamily = "conv_sparse_f32/rows";

bool Fits(const Tensor& tensor, DType dtype, int64_t size) {
  return tensor.dtype() == dtype && tensor.size() == size &&
         tensor.has_elements();
}

}  // namespace

std::string SparseLayout(int rows) {
  return std::string(kFamily) + std::to_string(rows);
}

int ParseSparseLayout(std::string_view layout) {
  for (int rows : kSparseRows) {
    if (layout == SparseLayout(rows)) return rows;
  }
  return 0;
}

Result<std::vector<Tensor>> SparseParts(const SparseWeights& weights) {
  std::vector<Tensor> parts(3);
  const auto vector = [](const auto& values) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    return Tensor::FromVector<T>({std::ssize(values)}, values);
  };
  STINT_ASSIGN_OR_RETURN(parts[0], vector(weights.begin));
  STINT_ASSIGN_OR_RETURN(parts[1], vector(weights.place));
  STINT_ASSIGN_OR_RETURN(parts[2], vector(weights.values));
  return parts;
}

bool IsSparse(int rows, std::span<const Tensor> parts,
              const ConvF32Shape& shape) {
  if (parts.size() != 3) return false;
  const int64_t blocks = CeilDiv(shape.out_channels, rows);
  const int64_t entries = parts[1].size();
  if (!Fits(parts[0], DType::kInt32, blocks + 1) ||
      !Fits(parts[1], DType::kInt32, entries) ||
      !Fits(parts[2], DType::kFloat32, entries * rows)) {
    return false;
  }
  const int32_t* begin = parts[0].data<int32_t>();
  const int32_t* place = parts[1].data<int32_t>();
  const int64_t places = shape.in_channels * shape.taps();
  return begin[0] == 0 && begin[blocks] == entries &&
         std::is_sorted(begin, begin + blocks + 1) &&
         std::all_of(place, place + entries,
                     [&](int32_t p) { return p >= 0 && p < places; });
}

void UnpackSparse(int rows, std::span<const Tensor> parts,
                  const ConvF32Shape& shape, float* w) {
  const int64_t places = shape.in_channels * shape.taps();
  std::fill_n(w, shape.out_channels * places, 0.0f);
  const int32_t* begin = parts[0].data<int32_t>();
  const int32_t* place = parts[1].data<int32_t>();
  const float* values = parts[2].data<float>();
  for (int64_t o = 0; o < shape.out_channels; ++o) {
    const int64_t block = o / rows;
    for (int64_t e = begin[block]; e < begin[block + 1]; ++e) {
      w[o * places + place[e]] = values[e * rows + o % rows];
    }
  }
}

}  // namespace stint

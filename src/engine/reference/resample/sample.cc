#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/resample/resample.h"

namespace stint {
namespace {

// Up to 4 elements of one dimension and their weights; index -1 reads zero.
struct Taps {
  int count = 0;
  int64_t index[4];
  double weight[4];
};

class GridReader {
 public:
  GridReader(const GridSample& op, const Shape& spatial)
      : op_(op), spatial_(spatial) {}

  // Dimension d read at the normalized coordinate.
  Taps At(size_t d, float coordinate) const {
    float x = Denormalize(coordinate, static_cast<float>(spatial_[d]));
    if (op_.mode == "nearest") x = std::nearbyint(x);
    if (!std::isfinite(x)) x = -1;
    const double at = Inside(d, static_cast<double>(x));
    Taps taps;
    if (op_.mode == "nearest") {
      Add(d, at, 1.0, &taps);
      return taps;
    }
    const double low = std::floor(at);
    const double ratio = at - low;
    if (op_.mode == "linear") {
      Add(d, low, 1 - ratio, &taps);
      Add(d, low + 1, ratio, &taps);
      return taps;
    }
    for (int i = -1; i < 3; ++i) {
      Add(d, low + i, Cubic(std::fabs(ratio - i)), &taps);
    }
    return taps;
  }

 private:
  double Least(size_t) const { return op_.align_corners ? 0.0 : -0.5; }
  double Most(size_t d) const {
    return static_cast<double>(spatial_[d]) - (op_.align_corners ? 1.0 : 0.5);
  }
  float Denormalize(float n, float length) const {
    return op_.align_corners ? (n + 1) / 2.0f * (length - 1)
                             : ((n + 1) * length - 1) / 2.0f;
  }
  // Moves a coordinate outside of the image as the padding mode says.
  double Inside(size_t d, double x) const {
    if (x >= Least(d) && x <= Most(d)) return x;
    if (op_.padding_mode == "reflection") {
      return static_cast<double>(static_cast<float>(Reflect(d, x)));
    }
    const double last = static_cast<double>(spatial_[d] - 1);
    if (op_.padding_mode == "border") return std::clamp(x, 0.0, last);
    return std::clamp(x, -8.0, last + 8.0);  // far enough to read zeros
  }
  double Reflect(size_t d, double x) const {
    const double least = Least(d);
    const double most = Most(d);
    const double range = most - least;
    if (!(range > 0)) return 0;
    if (x >= least && x <= most) return x;
    const double beyond = x < least ? least - x : x - most;
    const double turns = std::floor(beyond / range);
    const double rest = std::clamp(beyond - turns * range, 0.0, range);
    const bool even = std::fmod(turns, 2.0) == 0;
    return (x < least) == even ? least + rest : most - rest;
  }
  void Add(size_t d, double x, double weight, Taps* taps) const {
    const double last = static_cast<double>(spatial_[d] - 1);
    double index = std::trunc(x);
    if (op_.padding_mode == "reflection") index = std::trunc(Reflect(d, x));
    if (op_.padding_mode != "zeros") index = std::clamp(index, 0.0, last);
    taps->weight[taps->count] = weight;
    taps->index[taps->count++] =
        index >= 0 && index <= last ? static_cast<int64_t>(index) : -1;
  }
  static double Cubic(double x) {
    constexpr double kA = -0.75;
    if (x <= 1) return ((kA + 2) * x - (kA + 3)) * x * x + 1;
    if (x < 2) return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA;
    return 0;
  }

  const GridSample& op_;
  const Shape spatial_;
};

// One element of an output point: where to read and how much of it counts.
struct Term {
  int64_t offset;
  double weight;
};

// All combinations of the taps of every dimension.
void Combine(const std::vector<Taps>& taps, const Shape& spatial,
             std::vector<Term>* terms) {
  terms->assign(1, {0, 1.0});
  std::vector<Term> next;
  for (size_t d = 0; d < taps.size(); ++d) {
    next.clear();
    for (const Term& term : *terms) {
      for (int t = 0; t < taps[d].count; ++t) {
        if (taps[d].index[t] < 0 || taps[d].weight[t] == 0) continue;
        next.push_back({term.offset * spatial[d] + taps[d].index[t],
                        term.weight * taps[d].weight[t]});
      }
    }
    terms->swap(next);
  }
}

}  // namespace

Status Eval(const GridSample& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  if (out.size() == 0) return OkStatus();
  const Shape spatial(x.shape().begin() + 2, x.shape().end());
  STINT_ASSIGN_OR_RETURN(const int64_t image, ElementCount(spatial));
  if (image == 0) return InvalidArgument("the image is empty");
  const GridReader reader(op, spatial);
  const std::vector<float> grid = ElementsAs<float>(ctx.in(1));
  const int64_t channels = x.dim(1);
  const int64_t points = out.size() / (x.dim(0) * channels);
  const size_t rank = spatial.size();
  VisitCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    std::vector<Taps> taps(rank);
    std::vector<Term> terms;
    for (int64_t p = 0; p < x.dim(0) * points; ++p) {
      for (size_t d = 0; d < rank; ++d) {
        taps[d] = reader.At(d, grid[p * rank + rank - 1 - d]);
      }
      Combine(taps, spatial, &terms);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = p / points * channels + c;
        double sum = 0;
        for (const Term& term : terms) {
          sum += term.weight *
                 static_cast<double>(in[plane * image + term.offset]);
        }
        StoreElements<double>(&sum, plane * points + p % points, 1, &out);
      }
    }
  });
  return OkStatus();
}

Status Eval(const AffineGrid& op, EvalContext& ctx) {
  const std::vector<double> theta = ElementsAs<double>(ctx.in(0));
  Tensor& out = ctx.out(0);
  const size_t rank = out.shape().size() - 2;
  const int64_t points = out.size();
  const int64_t columns = static_cast<int64_t>(rank) + 1;
  std::vector<double> at(rank + 1, 1.0);  // last dimension first
  for (int64_t p = 0; p < points; p += static_cast<int64_t>(rank)) {
    int64_t rest = p / static_cast<int64_t>(rank);
    for (size_t d = rank; d-- > 0;) {
      const int64_t size = out.shape()[d + 1];
      const double i = static_cast<double>(rest % size);
      const double length = static_cast<double>(size);
      at[rank - 1 - d] = !op.align_corners ? (2 * i + 1) / length - 1
                         : size == 1       ? -1.0
                                           : 2 * i / (length - 1) - 1;
      rest /= size;
    }
    for (size_t r = 0; r < rank; ++r) {
      double sum = 0;
      for (int64_t k = 0; k < columns; ++k) {
        sum += theta[(rest * static_cast<int64_t>(rank) + r) * columns + k] *
               at[k];
      }
      StoreElements<double>(&sum, p + static_cast<int64_t>(r), 1, &out);
    }
  }
  return OkStatus();
}

}  // namespace stint

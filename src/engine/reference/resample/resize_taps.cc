#include "engine/reference/resample/resize_taps.h"

#include <algorithm>
#include <cmath>

namespace stint {
namespace {

// A filter of this width means that an image of 2^20 elements becomes 1.
constexpr double kMaxTaps = 1 << 22;

// The coordinate of output element x among the input's elements.
double SourceOf(const std::string& mode, const ResizedDim& dim, double x) {
  const double in = static_cast<double>(dim.in);
  const double out = dim.scale * in;
  if (mode == "align_corners") {
    return out == 1 ? 0.0 : x * (in - 1) / (out - 1);
  }
  if (mode == "asymmetric") return x / dim.scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / dim.scale;
  if (mode == "tf_crop_and_resize") {
    const double span = dim.roi_end - dim.roi_begin;
    const double at =
        out == 1 ? span * (in - 1) / 2 : x * span * (in - 1) / (out - 1);
    return at + dim.roi_begin * (in - 1);
  }
  if (mode == "pytorch_half_pixel" && out == 1) return -0.5;
  double offset = 0;
  if (mode == "half_pixel_symmetric") {
    offset = in / 2 * (1 - static_cast<double>(dim.out) / out);
  }
  return offset + (x + 0.5) / dim.scale - 0.5;
}

double Nearest(const std::string& mode, double x) {
  const double low = std::floor(x);
  if (low == x || mode == "floor") return low;
  if (mode == "ceil") return low + 1;
  const double ratio = x - low;
  return ratio < 0.5 || (ratio == 0.5 && mode == "round_prefer_floor")
             ? low
             : low + 1;
}

double Cubic(double a, double x) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Weights of the filter around an element `ratio` in (0, 1] behind its left
// neighbor. Filters get wider when antialiasing.
class Filter {
 public:
  explicit Filter(const Resize& op, double scale) : op_(op) {
    radius_ = op.mode == "cubic" ? 2 : 1;
    if (op.antialias) {
      scale_ = std::min(scale, 1.0);
      first_ = std::floor(-radius_ / scale_) + 1;
    } else {
      first_ = 1 - radius_;
    }
  }
  double taps() const { return 2 - 2 * first_; }
  // Of tap i of the taps around ratio.
  double Weight(int64_t i, double ratio) const {
    const double x = (first_ + static_cast<double>(i) - ratio) * scale_;
    if (op_.mode == "cubic") {
      return Cubic(static_cast<double>(op_.cubic_coeff_a), x);
    }
    return std::clamp(1 - std::fabs(x), 0.0, 1.0);
  }

 private:
  const Resize& op_;
  double radius_ = 1;
  double scale_ = 1;
  double first_ = 0;
};

// Divides by the sum, leaving out elements outside the input when asked to.
void Normalize(const Resize& op, int64_t first, int64_t in, int64_t taps,
               double* weight) {
  double sum = 0;
  for (int64_t t = 0; t < taps; ++t) {
    const bool outside = first + t < 0 || first + t >= in;
    if (op.exclude_outside && outside) weight[t] = 0;
    sum += weight[t];
  }
  if (sum == 0 || (!op.exclude_outside && !op.antialias)) return;
  for (int64_t t = 0; t < taps; ++t) weight[t] /= sum;
}

int64_t ClampIndex(double index, int64_t in) {
  return static_cast<int64_t>(
      std::clamp(index, 0.0, static_cast<double>(in - 1)));
}

}  // namespace

Result<ResizeTaps> MakeResizeTaps(const Resize& op, const ResizedDim& dim) {
  ResizeTaps taps;
  const bool nearest = op.mode == "nearest";
  const Filter filter(op, dim.scale);
  if (!nearest && !(filter.taps() <= kMaxTaps)) {
    return Unsupported("antialiasing at scale " + std::to_string(dim.scale));
  }
  if (!nearest) taps.taps = static_cast<int64_t>(filter.taps());
  taps.index.resize(static_cast<size_t>(dim.out * taps.taps));
  taps.weight.assign(taps.index.size(), 1.0);
  taps.outside.resize(static_cast<size_t>(dim.out));
  const bool crops = op.coordinate_transformation_mode == "tf_crop_and_resize";
  for (int64_t o = 0; o < dim.out; ++o) {
    double x = SourceOf(op.coordinate_transformation_mode, dim,
                        static_cast<double>(o));
    if (dim.IsIdentity()) x = static_cast<double>(o);
    if (!std::isfinite(x)) x = 0;
    taps.outside[o] = crops && (x < 0 || x > static_cast<double>(dim.in - 1));
    int64_t* index = &taps.index[o * taps.taps];
    if (nearest) {
      *index = ClampIndex(Nearest(op.nearest_mode, x), dim.in);
      continue;
    }
    // The element at x itself counts as the right neighbor.
    const double left = std::ceil(x) - 1;
    const double first = left - (filter.taps() / 2 - 1);
    for (int64_t t = 0; t < taps.taps; ++t) {
      index[t] = ClampIndex(first + static_cast<double>(t), dim.in);
      taps.weight[o * taps.taps + t] = filter.Weight(t, x - left);
    }
    Normalize(op, static_cast<int64_t>(std::clamp(first, -1e15, 1e15)), dim.in,
              taps.taps, &taps.weight[o * taps.taps]);
  }
  return taps;
}

}  // namespace stint

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/resample/resample.h"

namespace stint {
namespace {

// Sample points of one output element; regions of real detectors need some
// hundred at most.
constexpr double kMaxSamples = 1 << 22;

struct Region {
  double y, x;                   // first corner
  double bin_height, bin_width;  // size of an output element
  int64_t rows, columns;         // sample points per output element
};

Result<Region> MakeRegion(const RoiAlign& op, const double* box) {
  const bool half = op.coordinate_transformation_mode == "half_pixel";
  const double offset = half ? 0.5 : 0.0;
  double corner[4];
  for (int i = 0; i < 4; ++i) {
    corner[i] = box[i] * static_cast<double>(op.spatial_scale) - offset;
  }
  double width = corner[2] - corner[0];
  double height = corner[3] - corner[1];
  if (!half) {
    width = std::max(width, 1.0);
    height = std::max(height, 1.0);
  }
  Region region;
  region.x = corner[0];
  region.y = corner[1];
  region.bin_height = height / static_cast<double>(op.output_height);
  region.bin_width = width / static_cast<double>(op.output_width);
  const double ratio = static_cast<double>(op.sampling_ratio);
  const double rows = ratio > 0 ? ratio : std::ceil(region.bin_height);
  const double columns = ratio > 0 ? ratio : std::ceil(region.bin_width);
  if (!std::isfinite(region.x) || !std::isfinite(region.y) ||
      !(std::fabs(rows) * std::max(1.0, std::fabs(columns)) <= kMaxSamples) ||
      !(std::fabs(columns) <= kMaxSamples)) {
    return InvalidArgument("a region of interest is out of proportion");
  }
  region.rows = static_cast<int64_t>(rows);
  region.columns = static_cast<int64_t>(columns);
  return region;
}

// The four elements around a point, weighted.
struct Quad {
  int64_t offset[4] = {};
  double weight[4] = {};
};

Quad MakeQuad(double y, double x, int64_t height, int64_t width) {
  Quad quad;
  if (y < -1 || y > static_cast<double>(height) || x < -1 ||
      x > static_cast<double>(width)) {
    return quad;
  }
  const auto settle = [](double at, int64_t size, int64_t* low, int64_t* high) {
    at = std::max(at, 0.0);
    *low = std::min(static_cast<int64_t>(at), size - 1);
    *high = std::min(*low + 1, size - 1);
    return *low == *high ? 0.0 : at - static_cast<double>(*low);
  };
  int64_t y0, y1, x0, x1;
  const double dy = settle(y, height, &y0, &y1);
  const double dx = settle(x, width, &x0, &x1);
  quad = {{y0 * width + x0, y0 * width + x1, y1 * width + x0, y1 * width + x1},
          {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx}};
  return quad;
}

std::vector<Quad> QuadsOf(const Region& region, int64_t row, int64_t column,
                          int64_t height, int64_t width) {
  std::vector<Quad> quads;
  for (int64_t i = 0; i < region.rows; ++i) {
    const double y = region.y + static_cast<double>(row) * region.bin_height +
                     (static_cast<double>(i) + 0.5) * region.bin_height /
                         static_cast<double>(region.rows);
    for (int64_t j = 0; j < region.columns; ++j) {
      const double x = region.x +
                       static_cast<double>(column) * region.bin_width +
                       (static_cast<double>(j) + 0.5) * region.bin_width /
                           static_cast<double>(region.columns);
      quads.push_back(MakeQuad(y, x, height, width));
    }
  }
  return quads;
}

// Maximum pooling compares weighted corners, not interpolated values: the
// operator is defined so.
template <typename T>
double Pool(const std::vector<Quad>& quads, const T* plane, bool maximum) {
  double result = 0;
  bool first = true;
  for (const Quad& quad : quads) {
    double sum = 0;
    double most = 0;
    for (int i = 0; i < 4; ++i) {
      const double value =
          quad.weight[i] * static_cast<double>(plane[quad.offset[i]]);
      sum += value;
      most = i == 0 ? value : std::max(most, value);
    }
    if (!maximum) {
      result += sum;
    } else {
      result = first ? most : std::max(result, most);
    }
    first = false;
  }
  if (maximum || quads.empty()) return result;
  return result / static_cast<double>(quads.size());
}

}  // namespace

Status Eval(const RoiAlign& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  const std::vector<double> boxes = ElementsAs<double>(ctx.in(1));
  const std::vector<int64_t> batches = ElementsAs<int64_t>(ctx.in(2));
  const int64_t channels = x.dim(1);
  const int64_t plane = x.dim(2) * x.dim(3);
  if (out.size() == 0) return OkStatus();
  if (plane == 0) return InvalidArgument("the image is empty");
  const int64_t bins = op.output_height * op.output_width;
  return VisitFloatCompute(x.dtype(), [&]<typename T>() -> Status {
    const std::vector<T> in = ElementsAs<T>(x);
    for (size_t r = 0; r < batches.size(); ++r) {
      if (batches[r] < 0 || batches[r] >= x.dim(0)) {
        return InvalidArgument("batch index " + std::to_string(batches[r]) +
                               " is out of range");
      }
      STINT_ASSIGN_OR_RETURN(const Region region,
                             MakeRegion(op, &boxes[4 * r]));
      for (int64_t b = 0; b < bins; ++b) {
        const auto quads = QuadsOf(region, b / op.output_width,
                                   b % op.output_width, x.dim(2), x.dim(3));
        for (int64_t c = 0; c < channels; ++c) {
          const double value =
              Pool(quads, in.data() + (batches[r] * channels + c) * plane,
                   op.mode == "max");
          const int64_t row = static_cast<int64_t>(r) * channels + c;
          StoreElements<double>(&value, row * bins + b, 1, &out);
        }
      }
    }
    return OkStatus();
  });
}

}  // namespace stint

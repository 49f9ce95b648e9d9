#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/resample/resample.h"

namespace stint {
namespace {

// Four corners around a point of an image and their weights; corners outside
// have weight 0.
struct Corners {
  int64_t offset[4] = {};
  double weight[4] = {};

  Corners(double y, double x, int64_t height, int64_t width) {
    if (!(y > -1 && x > -1 && y < static_cast<double>(height) &&
          x < static_cast<double>(width))) {
      return;
    }
    const int64_t y0 = static_cast<int64_t>(std::floor(y));
    const int64_t x0 = static_cast<int64_t>(std::floor(x));
    const double dy = y - static_cast<double>(y0);
    const double dx = x - static_cast<double>(x0);
    for (int i = 0; i < 4; ++i) {
      const int64_t row = y0 + i / 2;
      const int64_t column = x0 + i % 2;
      if (row < 0 || row >= height || column < 0 || column >= width) continue;
      offset[i] = row * width + column;
      weight[i] = (i / 2 == 1 ? dy : 1 - dy) * (i % 2 == 1 ? dx : 1 - dx);
    }
  }

  template <typename T>
  double Read(const T* plane) const {
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      if (weight[i] != 0)
        sum += weight[i] * static_cast<double>(plane[offset[i]]);
    }
    return sum;
  }
};

// The sizes of one deformable convolution.
struct Geometry {
  int64_t channels, height, width;  // input
  int64_t out_channels, out_height, out_width;
  int64_t kernel_height, kernel_width;
  Window window;

  int64_t taps() const { return kernel_height * kernel_width; }
  int64_t in_plane() const { return height * width; }
  int64_t out_plane() const { return out_height * out_width; }
};

// Adds what kernel element `tap` reads from the channels of one offset group of
// one image to the outputs at one position.
template <typename T>
void AddTap(const DeformConv& op, const Geometry& g, const Corners& corners,
            double mask, int64_t tap, int64_t group, const T* image,
            const T* weights, double* out) {
  const int64_t per_offset_group = g.channels / op.offset_group;
  const int64_t ic_per_group = g.channels / op.group;
  const int64_t oc_per_group = g.out_channels / op.group;
  for (int64_t c = group * per_offset_group; c < (group + 1) * per_offset_group;
       ++c) {
    const double value = mask * corners.Read(image + c * g.in_plane());
    const int64_t first = c / ic_per_group * oc_per_group;
    for (int64_t oc = first; oc < first + oc_per_group; ++oc) {
      const T w =
          weights[(oc * ic_per_group + c % ic_per_group) * g.taps() + tap];
      out[oc * g.out_plane()] += value * static_cast<double>(w);
    }
  }
}

// One image: `offsets` and `mask` are its planes; `mask` may be null.
template <typename T>
void Convolve(const DeformConv& op, const Geometry& g, const T* image,
              const T* weights, const T* offsets, const T* mask, double* out) {
  const Window& w = g.window;
  for (int64_t plane = 0; plane < op.offset_group * g.taps(); ++plane) {
    const int64_t tap = plane % g.taps();
    const T* dy = offsets + 2 * plane * g.out_plane();
    const T* dx = dy + g.out_plane();
    for (int64_t p = 0; p < g.out_plane(); ++p) {
      const int64_t row = p / g.out_width * w.strides[0] - w.pads[0] +
                          tap / g.kernel_width * w.dilations[0];
      const int64_t column = p % g.out_width * w.strides[1] - w.pads[1] +
                             tap % g.kernel_width * w.dilations[1];
      const Corners corners(
          static_cast<double>(row) + static_cast<double>(dy[p]),
          static_cast<double>(column) + static_cast<double>(dx[p]), g.height,
          g.width);
      const double scale =
          mask != nullptr ? static_cast<double>(mask[plane * g.out_plane() + p])
                          : 1.0;
      AddTap(op, g, corners, scale, tap, plane / g.taps(), image, weights,
             out + p);
    }
  }
}

}  // namespace

Status Eval(const DeformConv& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  const Shape& w = ctx.in(1).shape();
  Geometry g{x.dim(1),   x.dim(2), x.dim(3), w[0], out.dim(2),
             out.dim(3), w[2],     w[3],     {}};
  STINT_ASSIGN_OR_RETURN(g.window, DeformWindow(op, x.shape(), w));
  VisitFloatCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    const std::vector<T> weights = ElementsAs<T>(ctx.in(1));
    const std::vector<T> offsets = ElementsAs<T>(ctx.in(2));
    const std::vector<T> masks =
        ctx.has(4) ? ElementsAs<T>(ctx.in(4)) : std::vector<T>();
    std::vector<double> sums(static_cast<size_t>(out.size()), 0.0);
    if (ctx.has(3)) {
      const std::vector<T> bias = ElementsAs<T>(ctx.in(3));
      for (size_t i = 0; i < sums.size(); ++i) {
        sums[i] = static_cast<double>(bias[i / g.out_plane() % bias.size()]);
      }
    }
    const int64_t planes = op.offset_group * g.taps() * g.out_plane();
    for (int64_t n = 0; n < x.dim(0); ++n) {
      Convolve<T>(op, g, in.data() + n * g.channels * g.in_plane(),
                  weights.data(), offsets.data() + n * 2 * planes,
                  masks.empty() ? nullptr : masks.data() + n * planes,
                  sums.data() + n * g.out_channels * g.out_plane());
    }
    StoreElements<double>(sums.data(), 0, out.size(), &out);
  });
  return OkStatus();
}

}  // namespace stint

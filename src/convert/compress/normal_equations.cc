#include "convert/compress/normal_equations.h"

#include <algorithm>
#include <utility>

#include "core/base/random.h"
#include "core/platform/cpu_info.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {
namespace {

// Places whose windows are written out at once: enough that adding up the sums
// is little beside making them.
constexpr int64_t kPlacesAtOnce = 1024;

// One pixel of one output image.
struct Place {
  const float* input = nullptr;  // its image, first channel
  const float* wanted = nullptr;
  int64_t top = 0;  // of its window; may be outside of the image
  int64_t left = 0;
  int64_t height = 0;  // of the input image
  int64_t width = 0;
  int64_t pixels = 0;  // of the output image
};

class ProductSum {
 public:
  ProductSum(const FittedLayer& layer, ChannelRange in, ChannelRange out,
             ThreadPool* pool)
      : layer_(layer),
        in_(in),
        out_(out),
        pool_(pool),
        kernel_(PickGemmF32(DetectIsa())),
        taps_(layer.window.kernel[0] * layer.window.kernel[1]),
        terms_(in.count * taps_ + 1),
        rows_(terms_ + out.count) {}

  NormalEquations Run(int64_t most_places) {
    const std::vector<Place> places = Choose(most_places);
    sums_.assign(static_cast<size_t>(terms_ * rows_), 0.0f);
    next_.resize(sums_.size());
    columns_.resize(static_cast<size_t>(rows_ * kPlacesAtOnce));
    const auto count = std::ssize(places);
    for (int64_t begin = 0; begin < count; begin += kPlacesAtOnce) {
      Add({places.data() + begin,
           static_cast<size_t>(std::min(count - begin, kPlacesAtOnce))});
    }
    return Split(count);
  }

 private:
  int64_t CountPlaces() const {
    int64_t total = 0;
    for (const Tensor& y : layer_.outputs) {
      total += y.dim(0) * y.dim(2) * y.dim(3);
    }
    return total;
  }

  // One out of every stretch of equal length, so that all images have part.
  std::vector<Place> Choose(int64_t most) const {
    const int64_t total = CountPlaces();
    const int64_t count = std::min(most, total);
    Random random(1);
    std::vector<Place> places;
    size_t sample = 0;
    int64_t before = 0;  // places of samples that are through
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = i * total / count;
      const int64_t end = (i + 1) * total / count;
      const int64_t index = begin + random.NextInt(end - begin);
      for (;;) {
        const Tensor& y = layer_.outputs[sample];
        const int64_t held = y.dim(0) * y.dim(2) * y.dim(3);
        if (index - before < held) break;
        before += held;
        ++sample;
      }
      places.push_back(At(sample, index - before));
    }
    return places;
  }

  Place At(size_t sample, int64_t index) const {
    const Tensor& x = layer_.inputs[sample];
    const Tensor& y = layer_.outputs[sample];
    Place place;
    place.height = x.dim(2);
    place.width = x.dim(3);
    place.pixels = y.dim(2) * y.dim(3);
    const int64_t image = index / place.pixels;
    const int64_t pixel = index % place.pixels;
    place.input = x.data<float>() +
                  (image * x.dim(1) + in_.first) * place.height * place.width;
    place.wanted = y.data<float>() +
                   (image * y.dim(1) + out_.first) * place.pixels + pixel;
    const Window& window = layer_.window;
    place.top = pixel / y.dim(3) * window.strides[0] - window.pads[0];
    place.left = pixel % y.dim(3) * window.strides[1] - window.pads[1];
    return place;
  }

  void Add(std::span<const Place> places) {
    const auto count = std::ssize(places);
    pool_->ParallelFor(rows_, 8, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        WriteRow(row, places, columns_.data() + row * count);
      }
    });
    packed_.resize(static_cast<size_t>(
        GemmF32PackedBytes(kernel_, rows_, count) / sizeof(float)));
    GemmF32PackB(kernel_, {columns_.data(), count, true}, rows_, count,
                 packed_.data(), pool_);
    GemmF32Args args;
    args.m = terms_;
    args.n = rows_;
    args.k = count;
    args.a = columns_.data();
    args.lda = count;
    args.b = packed_.data();
    args.c = next_.data();
    args.ldc = rows_;
    args.residual = sums_.data();
    args.ldr = rows_;
    GemmF32(kernel_, args, pool_);
    std::swap(sums_, next_);
  }

  // One number of every place's window, or 1, or one wanted output.
  void WriteRow(int64_t row, std::span<const Place> places, float* to) const {
    if (row == terms_ - 1) {
      std::fill_n(to, places.size(), 1.0f);
      return;
    }
    if (row >= terms_) {
      const int64_t output = row - terms_;
      for (size_t p = 0; p < places.size(); ++p) {
        to[p] = places[p].wanted[output * places[p].pixels];
      }
      return;
    }
    const Window& window = layer_.window;
    const int64_t channel = row / taps_;
    const int64_t tap = row % taps_;
    const int64_t down = tap / window.kernel[1] * window.dilations[0];
    const int64_t right = tap % window.kernel[1] * window.dilations[1];
    for (size_t p = 0; p < places.size(); ++p) {
      const Place& place = places[p];
      const int64_t y = place.top + down;
      const int64_t x = place.left + right;
      const bool inside =
          y >= 0 && y < place.height && x >= 0 && x < place.width;
      to[p] = inside
                  ? place.input[(channel * place.height + y) * place.width + x]
                  : 0.0f;
    }
  }

  NormalEquations Split(int64_t count) const {
    NormalEquations made;
    made.terms = terms_;
    made.outputs = out_.count;
    made.squares.resize(static_cast<size_t>(terms_ * terms_));
    made.products.resize(static_cast<size_t>(out_.count * terms_));
    const float share = 1.0f / static_cast<float>(std::max<int64_t>(1, count));
    for (int64_t t = 0; t < terms_; ++t) {
      const float* row = sums_.data() + t * rows_;
      for (int64_t i = 0; i < terms_; ++i) {
        made.squares[static_cast<size_t>(t * terms_ + i)] = row[i] * share;
      }
      for (int64_t o = 0; o < out_.count; ++o) {
        made.products[static_cast<size_t>(o * terms_ + t)] =
            row[terms_ + o] * share;
      }
    }
    return made;
  }

  const FittedLayer& layer_;
  const ChannelRange in_;
  const ChannelRange out_;
  ThreadPool* pool_;
  const GemmF32Kernel& kernel_;
  const int64_t taps_;
  const int64_t terms_;
  const int64_t rows_;          // terms and wanted outputs
  std::vector<float> columns_;  // [rows, places]
  std::vector<float> packed_;
  std::vector<float> sums_;  // [terms, rows]
  std::vector<float> next_;
};

}  // namespace

NormalEquations SumProducts(const FittedLayer& layer, ChannelRange in,
                            ChannelRange out, int64_t most_places,
                            ThreadPool* pool) {
  return ProductSum(layer, in, out, pool).Run(most_places);
}

}  // namespace stint

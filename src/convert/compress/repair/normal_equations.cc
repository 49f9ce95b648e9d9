#include "convert/compress/repair/normal_equations.h"

#include <algorithm>
#include <utility>

#include "core/platform/cpu_info.h"

namespace stint {
namespace {

// Places whose windows are written out at once: enough that adding up the sums
// is little beside making them.
constexpr int64_t kPlacesAtOnce = 1024;

}  // namespace

PlaceColumns::PlaceColumns(const LayerPlaces& places, int64_t columns,
                           ThreadPool* pool)
    : places_(places),
      pool_(pool),
      terms_(places.in.count * places.taps + 1),
      rows_(terms_ + places.out.count),
      stride_(columns),
      data_(static_cast<size_t>(rows_ * columns)) {
  next_ = NextPlace();
}

// One out of every stretch of equal length, so that all images have part.
int64_t PlaceColumns::NextPlace() {
  const int64_t count = std::min(places_.most, places_.total);
  if (chosen_ == count) return places_.total;
  const int64_t begin = chosen_ * places_.total / count;
  const int64_t end = (chosen_ + 1) * places_.total / count;
  ++chosen_;
  return begin + random_.NextInt(end - begin);
}

PlaceColumns::Place PlaceColumns::At(const LayerSample& sample,
                                     int64_t index) const {
  const Tensor& x = sample.input;
  const Tensor& y = sample.output;
  const int64_t pixels = y.dim(2) * y.dim(3);
  const int64_t image = index / pixels;
  const int64_t pixel = index % pixels;
  Place place;
  place.input = x.data<float>() +
                (image * x.dim(1) + places_.in.first) * x.dim(2) * x.dim(3);
  place.wanted =
      y.data<float>() + (image * y.dim(1) + places_.out.first) * pixels + pixel;
  const Window& window = sample.window;
  place.top = pixel / y.dim(3) * window.strides[0] - window.pads[0];
  place.left = pixel % y.dim(3) * window.strides[1] - window.pads[1];
  return place;
}

void PlaceColumns::Add(const LayerSample& sample,
                       const std::function<void()>& full) {
  const Tensor& y = sample.output;
  const int64_t held = y.dim(0) * y.dim(2) * y.dim(3);
  std::vector<Place> found;
  const auto write = [&] {
    Write(sample, found);
    count_ += std::ssize(found);
    found.clear();
    if (count_ < stride_) return;
    full();
    count_ = 0;
  };
  for (; next_ - before_ < held; next_ = NextPlace()) {
    found.push_back(At(sample, next_ - before_));
    if (count_ + std::ssize(found) == stride_) write();
  }
  if (!found.empty()) write();
  before_ += held;
}

void PlaceColumns::Write(const LayerSample& sample,
                         std::span<const Place> places) {
  pool_->ParallelFor(rows_, 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      WriteRow(sample, row, places, data_.data() + row * stride_ + count_);
    }
  });
}

// One number of every place's window, or 1, or one wanted output.
void PlaceColumns::WriteRow(const LayerSample& sample, int64_t row,
                            std::span<const Place> places, float* to) const {
  if (row == terms_ - 1) {
    std::fill_n(to, places.size(), 1.0f);
    return;
  }
  if (row >= terms_) {
    const int64_t pixels = sample.output.dim(2) * sample.output.dim(3);
    for (size_t p = 0; p < places.size(); ++p) {
      to[p] = places[p].wanted[(row - terms_) * pixels];
    }
    return;
  }
  const Window& window = sample.window;
  const int64_t height = sample.input.dim(2);
  const int64_t width = sample.input.dim(3);
  const int64_t channel = row / places_.taps;
  const int64_t tap = row % places_.taps;
  const int64_t down = tap / window.kernel[1] * window.dilations[0];
  const int64_t right = tap % window.kernel[1] * window.dilations[1];
  for (size_t p = 0; p < places.size(); ++p) {
    const int64_t y = places[p].top + down;
    const int64_t x = places[p].left + right;
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    to[p] = inside ? places[p].input[(channel * height + y) * width + x] : 0.0f;
  }
}

ProductSum::ProductSum(const LayerPlaces& places, ThreadPool* pool)
    : columns_(places, kPlacesAtOnce, pool),
      pool_(pool),
      kernel_(PickGemmF32(DetectIsa())),
      sums_(static_cast<size_t>(columns_.terms() * columns_.rows()), 0.0f),
      next_(sums_.size()) {}

int64_t ProductSum::Bytes(int64_t terms, int64_t outputs) {
  const int64_t rows = terms + outputs;
  return static_cast<int64_t>(sizeof(float)) *
         (2 * terms * rows + 2 * rows * kPlacesAtOnce);
}

void ProductSum::Add(const LayerSample& sample) {
  columns_.Add(sample, [this] { Flush(); });
}

void ProductSum::Flush() {
  const int64_t rows = columns_.rows();
  const int64_t count = columns_.count();
  packed_.resize(static_cast<size_t>(GemmF32PackedBytes(kernel_, rows, count) /
                                     sizeof(float)));
  GemmF32PackB(kernel_, {columns_.data(), columns_.stride(), true}, rows, count,
               packed_.data(), pool_);
  GemmF32Args args;
  args.m = columns_.terms();
  args.n = rows;
  args.k = count;
  args.a = columns_.data();
  args.lda = columns_.stride();
  args.b = packed_.data();
  args.c = next_.data();
  args.ldc = rows;
  args.residual = sums_.data();
  args.ldr = rows;
  GemmF32(kernel_, args, pool_);
  std::swap(sums_, next_);
  summed_ += count;
}

NormalEquations ProductSum::Finish() {
  if (columns_.count() > 0) Flush();
  next_ = {};
  packed_ = {};
  const int64_t terms = columns_.terms();
  const int64_t rows = columns_.rows();
  NormalEquations made;
  made.terms = terms;
  made.outputs = rows - terms;
  made.squares.resize(static_cast<size_t>(terms * terms));
  made.products.resize(static_cast<size_t>(made.outputs * terms));
  const float share = 1.0f / static_cast<float>(std::max<int64_t>(1, summed_));
  for (int64_t t = 0; t < terms; ++t) {
    const float* row = sums_.data() + t * rows;
    for (int64_t i = 0; i < terms; ++i) {
      made.squares[static_cast<size_t>(t * terms + i)] = row[i] * share;
    }
    for (int64_t o = 0; o < made.outputs; ++o) {
      made.products[static_cast<size_t>(o * terms + t)] =
          row[terms + o] * share;
    }
  }
  return made;
}

JudgedPlaces::JudgedPlaces(const LayerPlaces& places, ThreadPool* pool)
    : columns_(places,
               std::max<int64_t>(1, std::min(places.most, places.total)) + 1,
               pool),
      outputs_(places.out.count),
      pool_(pool) {}

JudgedPlaces::Squares JudgedPlaces::Judge(
    const std::vector<float>& weights) const {
  const GemmF32Kernel& kernel = PickGemmF32(DetectIsa());
  const int64_t terms = columns_.terms();
  const int64_t count = columns_.count();
  Squares sum;
  if (count == 0) return sum;
  std::vector<float> packed(static_cast<size_t>(
      GemmF32PackedBytes(kernel, count, terms) / sizeof(float)));
  GemmF32PackB(kernel, {columns_.data(), columns_.stride(), false}, count,
               terms, packed.data(), pool_);
  std::vector<float> found(static_cast<size_t>(outputs_ * count));
  GemmF32Args args;
  args.m = outputs_;
  args.n = count;
  args.k = terms;
  args.a = weights.data();
  args.lda = terms;
  args.b = packed.data();
  args.c = found.data();
  args.ldc = count;
  GemmF32(kernel, args, pool_);
  for (int64_t o = 0; o < outputs_; ++o) {
    const float* wanted = columns_.data() + (terms + o) * columns_.stride();
    for (int64_t p = 0; p < count; ++p) {
      const double difference =
          static_cast<double>(found[static_cast<size_t>(o * count + p)]) -
          wanted[p];
      sum.error += difference * difference;
      sum.size += static_cast<double>(wanted[p]) * wanted[p];
    }
  }
  return sum;
}

}  // namespace stint

#include "engine/reference/signal/fourier.h"

#include <cmath>

namespace stint {
namespace {

int64_t SmallestFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

}  // namespace

FourierTransform::FourierTransform(int64_t length, bool inverse)
    : length_(length), inverse_(inverse), roots_(static_cast<size_t>(length)) {
  const double step =
      (inverse ? 2.0 : -2.0) * std::acos(-1.0) / static_cast<double>(length);
  for (int64_t i = 0; i < length; ++i) {
    roots_[i] = std::polar(1.0, step * static_cast<double>(i));
  }
}

void FourierTransform::Run(const std::complex<double>* in,
                           std::complex<double>* out) const {
  Split(in, 1, length_, out);
  if (!inverse_) return;
  for (int64_t i = 0; i < length_; ++i) out[i] /= static_cast<double>(length_);
}

// Mixed-radix Cooley-Tukey: p transforms of n / p elements, then one butterfly
// of p inputs per output.
void FourierTransform::Split(const std::complex<double>* in, int64_t stride,
                             int64_t n, std::complex<double>* out) const {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = SmallestFactor(n);
  const int64_t m = n / p;
  for (int64_t r = 0; r < p; ++r) {
    Split(in + r * stride, stride * p, m, out + r * m);
  }
  std::vector<std::complex<double>> parts(static_cast<size_t>(p));
  const int64_t scale = length_ / n;
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t r = 0; r < p; ++r) parts[r] = out[r * m + k];
    for (int64_t q = 0; q < p; ++q) {
      const int64_t step = (k + q * m) * scale;
      std::complex<double> sum = parts[0];
      int64_t at = 0;
      for (int64_t r = 1; r < p; ++r) {
        at += step;
        if (at >= length_) at %= length_;
        sum += roots_[at] * parts[r];
      }
      out[q * m + k] = sum;
    }
  }
}

}  // namespace stint

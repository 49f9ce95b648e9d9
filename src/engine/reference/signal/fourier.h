#pragma once
// Discrete Fourier transform of any length.

#include <complex>
#include <cstdint>
#include <vector>

namespace stint {

class FourierTransform {
 public:
  // length > 0. `inverse` has the opposite sign and divides by the length.
  FourierTransform(int64_t length, bool inverse);

  // `in` and `out` have `length` elements and do not overlap.
  void Run(const std::complex<double>* in, std::complex<double>* out) const;

 private:
  // Transforms n elements that are `stride` apart.
  void Split(const std::complex<double>* in, int64_t stride, int64_t n,
             std::complex<double>* out) const;

  int64_t length_;
  bool inverse_;
  std::vector<std::complex<double>> roots_;  // of unity
};

}  // namespace stint

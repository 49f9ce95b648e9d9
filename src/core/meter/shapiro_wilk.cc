// Algorithm AS R94 (Royston, Applied Statistics 44, 1995).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/meter/distributions.h"
#include "core/meter/rank_tests.h"

namespace stint {
namespace {

constexpr size_t kMostValues = 5000;

double Polynomial(std::initializer_list<double> coefficients, double x) {
  double sum = 0, power = 1;
  for (double coefficient : coefficients) {
    sum += coefficient * power;
    power *= x;
  }
  return sum;
}

// Weights of the differences between the i-th largest and the i-th smallest.
std::vector<double> Weights(size_t n) {
  const size_t half = n / 2;
  if (n == 3) return {std::sqrt(0.5)};
  std::vector<double> m(half);
  double squares = 0;
  for (size_t i = 0; i < half; ++i) {
    m[i] = -NormalQuantile((static_cast<double>(i) + 0.625) /
                           (static_cast<double>(n) + 0.25));
    squares += 2 * m[i] * m[i];
  }
  const double root = 1 / std::sqrt(static_cast<double>(n));
  const double length = std::sqrt(squares);
  std::vector<double> a(half);
  a[0] =
      m[0] / length +
      Polynomial({0, .221157, -.147981, -2.07119, 4.434685, -2.706056}, root);
  size_t fixed = 1;
  double left = squares - 2 * m[0] * m[0];
  double rest = 1 - 2 * a[0] * a[0];
  if (n > 5) {
    a[1] = m[1] / length +
           Polynomial({0, .042981, -.293762, -1.752461, 5.682633, -3.582633},
                      root);
    left -= 2 * m[1] * m[1];
    rest -= 2 * a[1] * a[1];
    fixed = 2;
  }
  const double scale = std::sqrt(left / rest);
  for (size_t i = fixed; i < half; ++i) a[i] = m[i] / scale;
  return a;
}

double PValue(double w, double n) {
  if (n == 3) {
    const double p =
        6 / M_PI * (std::asin(std::sqrt(w)) - std::asin(std::sqrt(0.75)));
    return std::max(0.0, p);
  }
  double y = std::log(1 - w);
  double mean = 0, deviation = 0;
  if (n <= 11) {
    const double gamma = Polynomial({-2.273, .459}, n);
    if (y >= gamma) return 0;
    y = -std::log(gamma - y);
    mean = Polynomial({.544, -.39978, .025054, -6.714e-4}, n);
    deviation = std::exp(Polynomial({1.3822, -.77857, .062767, -.0020322}, n));
  } else {
    const double log_n = std::log(n);
    mean = Polynomial({-1.5861, -.31082, -.083751, .0038915}, log_n);
    deviation = std::exp(Polynomial({-.4803, -.082676, .0030302}, log_n));
  }
  return NormalTail((y - mean) / deviation);
}

}  // namespace

TestResult ShapiroWilk(std::span<const double> values) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const size_t n = values.size();
  if (n < 3 || n > kMostValues) return {nan, nan};
  std::vector<double> x(values.begin(), values.end());
  std::sort(x.begin(), x.end());
  if (!(x.front() < x.back())) return {nan, nan};
  const double mean =
      std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (double value : x) squares += (value - mean) * (value - mean);
  const std::vector<double> a = Weights(n);
  double b = 0;
  for (size_t i = 0; i < a.size(); ++i) b += a[i] * (x[n - 1 - i] - x[i]);
  const double w = std::min(1.0, b * b / squares);
  return {w, PValue(w, static_cast<double>(n))};
}

}  // namespace stint

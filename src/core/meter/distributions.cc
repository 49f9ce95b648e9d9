#include "core/meter/distributions.h"

#include <cmath>

namespace stint {
namespace {

constexpr int kMostTerms = 10000;
constexpr double kPrecision = 1e-16;

// Lower regularized incomplete gamma function by its series; good for x < a
// + 1.
double GammaSeries(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int i = 1; i < kMostTerms && term > sum * kPrecision; ++i) {
    term *= x / (a + i);
    sum += term;
  }
  return sum * std::exp(a * std::log(x) - x - std::lgamma(a));
}

// The upper one by its continued fraction (Lentz); good for x >= a + 1.
double GammaFraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double result = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const double factor = -i * (i - a);
    b += 2;
    d = factor * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + factor / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    result *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return result * std::exp(a * std::log(x) - x - std::lgamma(a));
}

}  // namespace

double NormalTail(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

double NormalQuantile(double p) {
  // Bisection brackets the root, Newton's steps finish it.
  double low = -40, high = 40;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (NormalTail(-middle) < p ? low : high) = middle;
  }
  double z = (low + high) / 2;
  for (int i = 0; i < 3; ++i) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * M_PI);
    if (density > 0) z -= (NormalTail(-z) - p) / density;
  }
  return z;
}

double ChiSquareTail(double x, double degrees) {
  if (x <= 0) return 1;
  const double a = degrees / 2;
  return x / 2 < a + 1 ? 1 - GammaSeries(a, x / 2) : GammaFraction(a, x / 2);
}

}  // namespace stint

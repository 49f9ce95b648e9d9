#pragma once
// The few probability distributions that tests of differences need.

namespace stint {

// Probability that a standard normal number exceeds z.
double NormalTail(double z);
// The z that a standard normal number stays below with probability p in (0, 1).
double NormalQuantile(double p);
// Probability that a chi-square number with `degrees` of freedom exceeds x >=
// 0.
double ChiSquareTail(double x, double degrees);

}  // namespace stint

#include "engine/device/code_costs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace stint {
namespace {

constexpr int64_t kMaxSide = int64_t{1} << 31;
// A picosecond to eleven days: what a file may say.
constexpr double kLeastNs = 1e-3;
constexpr double kMostNs = 1e15;

// Before anything is measured. Cycles are those of instructions that come one
// after the other without a stall.
struct Principle {
  // Multiply-adds in a cycle: two vpdpbusd of 64 each; 16 of them to a
  // TDPBUSD; without VNNI three instructions take the place of one.
  double products_per_cycle;
  // 64 weights by a bit matrix product, or by shifts.
  double decode_cycles;
};
Principle PrincipleOf(Isa isa) {
  switch (isa) {
    case Isa::kAmx:
      return {1024, 3};
    case Isa::kBf16:
    case Isa::kVnni:
      return {128, 3};
    case Isa::kAvx512:
      return {42, 16};
    case Isa::kAvx2:
      return {21, 16};
    case Isa::kBaseline:
      break;
  }
  return {8, 64};
}
// A cautious clock, and half of what is possible in principle.
constexpr double kGhz = 2.5;
constexpr double kShare = 0.5;
// One thread's share of memory.
constexpr double kBytesPerNs = 8;

// Difference in size and form.
double Distance(const CodeCosts::Matrix& matrix, int64_t k, int64_t n) {
  const auto ratio = [](int64_t a, int64_t b) {
    return std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
  };
  return ratio(matrix.k, k) + ratio(matrix.n, n);
}

double AtRows(const std::vector<CodeCosts::Point>& points, int64_t rows) {
  if (points.size() == 1 || rows <= points[0].rows) return points[0].ns;
  size_t i = 1;
  while (i + 1 < points.size() && rows > points[i].rows) ++i;
  const CodeCosts::Point& a = points[i - 1];
  const CodeCosts::Point& b = points[i];
  return a.ns + (b.ns - a.ns) * static_cast<double>(rows - a.rows) /
                    static_cast<double>(b.rows - a.rows);
}

// The points of a line; none when they are wrong.
std::vector<CodeCosts::Point> ReadPoints(std::istringstream* words) {
  std::vector<CodeCosts::Point> points;
  CodeCosts::Point before;
  while (!(*words >> std::ws).eof()) {
    CodeCosts::Point point;
    if (!(*words >> point.rows >> point.ns) || !(point.ns >= kLeastNs) ||
        point.ns > kMostNs || point.rows <= before.rows ||
        point.rows > kMaxSide || point.ns < before.ns) {
      return {};
    }
    points.push_back(point);
    before = point;
  }
  return points;
}

bool ReadLine(const std::string& line, std::vector<CodeCosts::Matrix>* to) {
  std::istringstream words(line);
  int64_t k = 0, n = 0;
  int bits = 0;
  if (!(words >> k >> n >> bits) || k < 1 || n < 1 || k > kMaxSide ||
      n > kMaxSide || bits < kPlaneMinBits || bits > kPlaneMaxBits) {
    return false;
  }
  auto it = std::find_if(
      to->begin(), to->end(),
      [&](const CodeCosts::Matrix& m) { return m.k == k && m.n == n; });
  if (it == to->end()) it = to->insert(it, {k, n, {}});
  auto& points = it->points[static_cast<size_t>(bits - kPlaneMinBits)];
  if (!points.empty()) return false;
  points = ReadPoints(&words);
  return !points.empty();
}

}  // namespace

CodeCosts CodeCosts::Assumed(Isa isa, int threads) {
  const Principle principle = PrincipleOf(isa);
  const double per_ns = kGhz * kShare * std::max(threads, 1);
  Matrix matrix{768, 768, {}};
  const double weights = 768 * 768;
  for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
    const double decode =
        weights / 64 *
        std::max(principle.decode_cycles / per_ns, bits * 8 / kBytesPerNs);
    const double row = weights / principle.products_per_cycle / per_ns;
    matrix.points[static_cast<size_t>(bits - kPlaneMinBits)] = {
        {1, decode + row}, {2, decode + 2 * row}};
  }
  CodeCosts costs;
  costs.Add(std::move(matrix));
  return costs;
}

double CodeCosts::LinearNs(int64_t rows, int64_t k, int64_t n, int bits) const {
  const auto& matrix =
      *std::min_element(matrices_.begin(), matrices_.end(),
                        [&](const Matrix& a, const Matrix& b) {
                          return Distance(a, k, n) < Distance(b, k, n);
                        });
  const double scale = static_cast<double>(k) * static_cast<double>(n) /
                       static_cast<double>(matrix.k * matrix.n);
  return scale *
         AtRows(matrix.points[static_cast<size_t>(bits - kPlaneMinBits)], rows);
}

std::string CodeCosts::ToText() const {
  std::string text;
  for (const Matrix& matrix : matrices_) {
    for (int bits = kPlaneMinBits; bits <= kPlaneMaxBits; ++bits) {
      text += std::to_string(matrix.k) + " " + std::to_string(matrix.n) + " " +
              std::to_string(bits);
      for (const Point& point :
           matrix.points[static_cast<size_t>(bits - kPlaneMinBits)]) {
        char ns[48];
        std::snprintf(ns, sizeof(ns), " %lld %.8g",
                      static_cast<long long>(point.rows), point.ns);
        text += ns;
      }
      text += "\n";
    }
  }
  return text;
}

Result<CodeCosts> CodeCosts::Parse(std::string_view text) {
  CodeCosts costs;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (!ReadLine(line, &costs.matrices_)) {
      return Damaged("costs of codes: line " + std::to_string(number) +
                     " is wrong: " + line.substr(0, 80));
    }
  }
  const bool whole = std::all_of(
      costs.matrices_.begin(), costs.matrices_.end(), [](const Matrix& m) {
        return std::none_of(m.points.begin(), m.points.end(),
                            [](const auto& points) { return points.empty(); });
      });
  if (costs.matrices_.empty() || !whole) {
    return Damaged("costs of codes: lines are missing");
  }
  return costs;
}

}  // namespace stint

#pragma once
// What products on coded weights (kernels/gemm_codes) take, by bits, rows and
// size of the matrix, on one machine, ISA and number of threads. Pure data and
// its text form.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/cpu_info.h"
#include "core/tensor/bit_planes.h"
#include "stint/status.h"

namespace stint {

// One thousandth of the weights being outliers.
class CodeCosts {
 public:
  static constexpr int kFidelities = kPlaneMaxBits - kPlaneMinBits + 1;

  struct Point {
    int64_t rows = 0;
    double ns = 0;
  };
  // A [rows, k] times [k, n].
  struct Matrix {
    int64_t k = 0;
    int64_t n = 0;
    // By bits - 2: of rising rows, none with fewer ns than the one before.
    std::array<std::vector<Point>, kFidelities> points;
  };

  // Until something is measured, by what the kernels do in principle: decode
  // each weight once and multiply it by each row.
  static CodeCosts Assumed(Isa isa, int threads);

  // `matrix` has points for all bits.
  void Add(Matrix matrix) { matrices_.push_back(std::move(matrix)); }
  const std::vector<Matrix>& matrices() const { return matrices_; }

  // Of the matrix most alike, in proportion to the weights: a straight line
  // between numbers of rows and beyond the last. 2 to 8 bits; all sizes at
  // least 1. It never falls with the rows.
  double LinearNs(int64_t rows, int64_t k, int64_t n, int bits) const;

  // Lines "k n bits rows ns rows ns ...".
  std::string ToText() const;
  // kDamaged names the first line that is wrong.
  static Result<CodeCosts> Parse(std::string_view text);

 private:
  std::vector<Matrix> matrices_;  // not empty once made
};

}  // namespace stint

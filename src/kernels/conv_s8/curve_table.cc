#include "kernels/conv_s8/curve_table.h"

#include <cmath>
#include <initializer_list>

#include "kernels/simd/curves.h"

namespace stint {
namespace {

// The parabola through (x[i], y[i]) into piece `piece`.
void SetParabola(const double (&x)[3], const double (&y)[3], int piece,
                 CurveTable* table) {
  const double first = (y[1] - y[0]) / (x[1] - x[0]);
  const double second = ((y[2] - y[1]) / (x[2] - x[1]) - first) / (x[2] - x[0]);
  table->c[0][piece] =
      static_cast<float>(y[0] - first * x[0] + second * x[0] * x[1]);
  table->c[1][piece] = static_cast<float>(first - second * (x[0] + x[1]));
  table->c[2][piece] = static_cast<float>(second);
}

CurveTable Make(Curve curve) {
  const Activation act = Activation::Of(curve);
  const double width = 1 / double{CurveTable::kSlope};
  CurveTable table{};
  for (int piece = 1; piece < CurveTable::kPieces - 1; ++piece) {
    double x[3], y[3];
    for (int i = 0; i < 3; ++i) {
      // Chebyshev's points spread the error evenly.
      const double at = 0.5 - 0.5 * std::cos((2 * i + 1) * M_PI / 6);
      x[i] = -double{CurveTable::kLimit} + (piece - 1 + at) * width;
      y[i] = ReferenceActivation(x[i], act);
    }
    SetParabola(x, y, piece, &table);
  }
  // Far out a curve is a line: through two points of it.
  for (const double side : {-1.0, 1.0}) {
    const double x = side * 1000;
    const double slope =
        (ReferenceActivation(2 * x, act) - ReferenceActivation(x, act)) / x;
    const int piece = side < 0 ? 0 : CurveTable::kPieces - 1;
    table.c[0][piece] =
        static_cast<float>(ReferenceActivation(x, act) - slope * x);
    table.c[1][piece] = static_cast<float>(slope);
  }
  return table;
}

}  // namespace

const CurveTable* CurveTableOf(Curve curve) {
  static const CurveTable kSilu = Make(Curve::kSilu);
  static const CurveTable kSigmoid = Make(Curve::kSigmoid);
  static const CurveTable kGelu = Make(Curve::kGeluErf);
  static const CurveTable kGeluTanh = Make(Curve::kGeluTanh);
  switch (curve) {
    case Curve::kSilu:
      return &kSilu;
    case Curve::kSigmoid:
      return &kSigmoid;
    case Curve::kGeluErf:
      return &kGelu;
    case Curve::kGeluTanh:
      return &kGeluTanh;
    default:
      return nullptr;
  }
}

}  // namespace stint

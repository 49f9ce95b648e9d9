#pragma once
// One step of a recurrent layer as written in the books, in double precision.

#include <algorithm>
#include <cmath>

#include "kernels/recurrent_f32/recurrent_f32_table.h"

namespace stint {

inline double ReferenceGate(const GateFunction& f, double x) {
  switch (f.curve) {
    case GateCurve::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case GateCurve::kTanh:
      return std::tanh(x);
    case GateCurve::kRelu:
      return std::max(0.0, x);
    case GateCurve::kAffine:
      return f.alpha * x + f.beta;
    case GateCurve::kHardSigmoid:
      return std::clamp(f.alpha * x + f.beta, 0.0, 1.0);
    case GateCurve::kLeakyRelu:
      return x >= 0 ? x : f.alpha * x;
    case GateCurve::kElu:
      return x >= 0 ? x : f.alpha * (std::exp(x) - 1);
    case GateCurve::kScaledTanh:
      return f.alpha * std::tanh(f.beta * x);
    case GateCurve::kSoftsign:
      return x / (1 + std::fabs(x));
    case GateCurve::kThresholdedRelu:
      return x >= f.alpha ? x : 0;
  }
  return x;
}

// Hidden unit j of one sequence.
class ReferenceUnit {
 public:
  ReferenceUnit(const RecurrentBlock& block, const RecurrentRow& row, int64_t j)
      : b_(block), row_(row), j_(j) {}

  void Run() const {
    switch (b_.stage) {
      case RecurrentStage::kRnn:
        return Put(Act(0, X(0) + Rh(0)));
      case RecurrentStage::kGruGates:
        row_.gate[j_] = static_cast<float>(Act(0, X(0) + Rh(0)));
        row_.reset[j_] = static_cast<float>(Act(0, X(1) + Rh(1)) * row_.h[j_]);
        return;
      case RecurrentStage::kGruState:
        return Mix(row_.gate[j_], Act(1, X(2) + Rh(0)));
      case RecurrentStage::kGruLinear: {
        const double reset = Act(0, X(1) + Rh(1));
        const double fresh = Act(1, X(2) + reset * (Rh(2) + b_.bias[j_]));
        return Mix(Act(0, X(0) + Rh(0)), fresh);
      }
      case RecurrentStage::kLstm:
        return Lstm();
    }
  }

 private:
  double X(int64_t gate) const { return row_.x[gate * b_.gate_stride + j_]; }
  double Rh(int64_t gate) const {
    const int64_t gates = GatesOf(b_.stage);
    const float* h =
        b_.stage == RecurrentStage::kGruState ? row_.reset : row_.h;
    double sum = 0;
    for (int64_t k = 0; k < b_.hidden; ++k) {
      sum +=
          static_cast<double>(h[k]) * b_.r[(j_ * b_.hidden + k) * gates + gate];
    }
    return sum;
  }
  double Act(int which, double x) const {
    if (b_.clip > 0) x = std::clamp<double>(x, -b_.clip, b_.clip);
    return ReferenceGate(b_.functions[which], x);
  }
  double Peep(int64_t gate, double c) const {
    return b_.peepholes ? c * b_.peepholes[gate * b_.hidden + j_] : 0;
  }
  void Put(double h) const { row_.to[j_] = static_cast<float>(h); }
  void Mix(double z, double fresh) const {
    Put((1 - z) * fresh + z * row_.h[j_]);
  }
  void Lstm() const {
    double c = row_.c[j_];
    const double in = Act(0, X(0) + Rh(0) + Peep(0, c));
    const double forget =
        b_.input_forget ? 1 - in : Act(0, X(2) + Rh(2) + Peep(2, c));
    c = forget * c + in * Act(1, X(3) + Rh(3));
    row_.c[j_] = static_cast<float>(c);
    Put(Act(0, X(1) + Rh(1) + Peep(1, c)) * ReferenceGate(b_.functions[2], c));
  }

  const RecurrentBlock& b_;
  const RecurrentRow& row_;
  const int64_t j_;
};

inline void ReferenceRecurrentF32(const RecurrentBlock& block) {
  for (int64_t i = 0; i < block.num_rows; ++i) {
    for (int64_t j = block.begin; j < block.end; ++j) {
      ReferenceUnit(block, block.rows[i], j).Run();
    }
  }
}

}  // namespace stint

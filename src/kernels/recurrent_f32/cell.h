#pragma once
// One step of a recurrent layer, one source for every vector width V: sums of a
// group of hidden units stay in registers from the product to the new state.

#include <algorithm>

#include "core/base/checked_math.h"
#include "kernels/recurrent_f32/gate.h"

namespace stint {

// Sums of a hidden unit in a stage of its kind.
constexpr int SumsPerUnit(RecurrentStage stage) {
  constexpr int kSums[] = {1, 2, 1, 3, 4};
  return kSums[static_cast<int>(stage)];
}

// `kSums` sums fill the registers of the machine beside a vector of weights per
// gate; fewer than 8 would wait for each other.
template <class V, int kSums, RecurrentStage kStage>
class RecurrentCell {
  using F = typename V::F;
  static constexpr int kG = SumsPerUnit(kStage);
  static constexpr int kMostRows = kSums / kG;
  static constexpr int kLeastSums = 8;

 public:
  explicit RecurrentCell(const RecurrentBlock& block) : b_(block) {}

  void Run() const {
    // A few rows alone would wait for weights.
    const int64_t passes = CeilDiv(b_.num_rows, kMostRows);
    const int64_t at_once = passes > 0 ? CeilDiv(b_.num_rows, passes) : 0;
    for (int64_t n = b_.begin; n < b_.end; ++n) {
      const int64_t group = b_.turned ? b_.begin + b_.end - 1 - n : n;
      for (int64_t i = 0; i < b_.num_rows;) {
        i += RunRows<kMostRows>(group, i, std::min(at_once, b_.num_rows - i));
      }
    }
  }

 private:
  // As many rows as there are, at most kRows; returns how many.
  template <int kRows>
  STINT_INLINE int64_t RunRows(int64_t group, int64_t first,
                               int64_t rows) const {
    if constexpr (kRows > 1) {
      if (rows < kRows) return RunRows<kRows - 1>(group, first, rows);
    }
    Multiply<kRows>(group, b_.rows + first);
    return kRows;
  }

  template <int kRows>
  __attribute__((noinline)) void Multiply(int64_t group,
                                          const RecurrentRow* rows) const {
    constexpr int kParts = kRows * kG >= kLeastSums ? 1
                           : kLeastSums / (kRows * kG) < 4
                               ? kLeastSums / (kRows * kG)
                               : 4;
    const float* r = b_.r + group * b_.hidden * kG * V::kWidth;
    const float* h[kRows];
    F sums[kParts][kRows][kG];
    for (int i = 0; i < kRows; ++i) {
      h[i] = kStage == RecurrentStage::kGruState ? rows[i].reset : rows[i].h;
      for (int p = 0; p < kParts; ++p) {
        for (int g = 0; g < kG; ++g) sums[p][i][g] = V::Set1(0.0f);
      }
    }
    int64_t k = 0;
    for (; k + kParts <= b_.hidden; k += kParts) {
#pragma GCC unroll 4
      for (int p = 0; p < kParts; ++p) AddTo<kRows>(r, h, k + p, sums[p]);
    }
    for (; k < b_.hidden; ++k) AddTo<kRows>(r, h, k, sums[0]);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      for (int p = 1; p < kParts; ++p) {
        for (int g = 0; g < kG; ++g) sums[0][i][g] += sums[p][i][g];
      }
      Finish(group * V::kWidth, rows[i], sums[0][i]);
    }
  }

  template <int kRows>
  static STINT_INLINE void AddTo(const float* r, const float* const* h,
                                 int64_t k, F (&sums)[kRows][kG]) {
    F weights[kG];
#pragma GCC unroll 4
    for (int g = 0; g < kG; ++g) {
      weights[g] = V::Load(r + (k * kG + g) * V::kWidth);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const F state = V::Set1(h[i][k]);
#pragma GCC unroll 4
      for (int g = 0; g < kG; ++g) {
        sums[i][g] = V::Fma(weights[g], state, sums[i][g]);
      }
    }
  }

  // Units [j, j + width) of a row, as far as there are any.
  STINT_INLINE void Finish(int64_t j, const RecurrentRow& row,
                           const F (&sums)[kG]) const {
    const int64_t n = b_.hidden - j;
    if (n >= V::kWidth) {
      Update({j, V::kWidth, true}, row, sums);
    } else {
      Update({j, n, false}, row, sums);
    }
  }

  struct Units {
    int64_t first;
    int64_t count;
    bool whole;
    STINT_INLINE F Load(const float* p) const {
      return whole ? V::Load(p + first) : V::LoadN(p + first, count);
    }
    STINT_INLINE void Store(float* p, F v) const {
      whole ? V::Store(p + first, v) : V::StoreN(p + first, v, count);
    }
  };

  STINT_INLINE F Gate(int which, F x) const {
    if (b_.clip > 0) x = Clamp<V>(x, -b_.clip, b_.clip);
    return ApplyGate<V>(b_.functions[which], x);
  }

  STINT_INLINE void Update(const Units& at, const RecurrentRow& row,
                           const F (&sums)[kG]) const {
    const auto x = [&](int gate) {
      return at.Load(row.x + gate * b_.gate_stride);
    };
    if constexpr (kStage == RecurrentStage::kRnn) {
      at.Store(row.to, Gate(0, x(0) + sums[0]));
    } else if constexpr (kStage == RecurrentStage::kGruGates) {
      at.Store(row.gate, Gate(0, x(0) + sums[0]));
      at.Store(row.reset, Gate(0, x(1) + sums[1]) * at.Load(row.h));
    } else if constexpr (kStage == RecurrentStage::kGruState) {
      Mix(at, row, at.Load(row.gate), Gate(1, x(2) + sums[0]));
    } else if constexpr (kStage == RecurrentStage::kGruLinear) {
      const F reset = Gate(0, x(1) + sums[1]);
      const F fresh = Gate(1, V::Fma(reset, sums[2] + at.Load(b_.bias), x(2)));
      Mix(at, row, Gate(0, x(0) + sums[0]), fresh);
    } else {
      UpdateLstm(
          at, row,
          {x(0) + sums[0], x(1) + sums[1], x(2) + sums[2], x(3) + sums[3]});
    }
  }

  STINT_INLINE void Mix(const Units& at, const RecurrentRow& row, F z,
                        F fresh) const {
    at.Store(row.to, V::Fma(z, at.Load(row.h) - fresh, fresh));
  }

  struct LstmGates {
    F in, out, forget, cell;
  };

  STINT_INLINE void UpdateLstm(const Units& at, const RecurrentRow& row,
                               LstmGates gates) const {
    F c = at.Load(row.c);
    const float* p = b_.peepholes;
    if (p) {
      gates.in = V::Fma(at.Load(p), c, gates.in);
      gates.forget = V::Fma(at.Load(p + 2 * b_.hidden), c, gates.forget);
    }
    const F in = Gate(0, gates.in);
    const F forget =
        b_.input_forget ? V::Set1(1.0f) - in : Gate(0, gates.forget);
    c = V::Fma(forget, c, in * Gate(1, gates.cell));
    at.Store(row.c, c);
    if (p) gates.out = V::Fma(at.Load(p + b_.hidden), c, gates.out);
    at.Store(row.to, Gate(0, gates.out) * ApplyGate<V>(b_.functions[2], c));
  }

  const RecurrentBlock& b_;
};

template <class V, int kSums>
void RunRecurrent(const RecurrentBlock& block) {
  using Stage = RecurrentStage;
  switch (block.stage) {
    case Stage::kRnn:
      return RecurrentCell<V, kSums, Stage::kRnn>(block).Run();
    case Stage::kGruGates:
      return RecurrentCell<V, kSums, Stage::kGruGates>(block).Run();
    case Stage::kGruState:
      return RecurrentCell<V, kSums, Stage::kGruState>(block).Run();
    case Stage::kGruLinear:
      return RecurrentCell<V, kSums, Stage::kGruLinear>(block).Run();
    case Stage::kLstm:
      return RecurrentCell<V, kSums, Stage::kLstm>(block).Run();
  }
}

}  // namespace stint

#include "engine/reference/recurrent/recurrent.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

template <typename T>
T Apply(const GateActivation& f, T x) {
  using Kind = GateActivation::Kind;
  const T alpha = f.alpha;
  const T beta = f.beta;
  switch (f.kind) {
    case Kind::kAffine:
      return alpha * x + beta;
    case Kind::kElu:
      return x >= 0 ? x : alpha * (std::exp(x) - 1);
    case Kind::kHardSigmoid:
      return std::clamp(alpha * x + beta, T(0), T(1));
    case Kind::kLeakyRelu:
      return x >= 0 ? x : alpha * x;
    case Kind::kRelu:
      return x > 0 ? x : T(0);
    case Kind::kScaledTanh:
      return alpha * std::tanh(beta * x);
    case Kind::kSigmoid:
      return 1 / (1 + std::exp(-x));
    case Kind::kSoftplus:
      return std::log(1 + std::exp(x));
    case Kind::kSoftsign:
      return x / (1 + std::abs(x));
    case Kind::kTanh:
      return std::tanh(x);
    case Kind::kThresholdedRelu:
      return x >= alpha ? x : T(0);
  }
  return x;
}

// [rows, columns] at `from` as [columns, rows], so that a product with a vector
// is a sum of contiguous rows.
template <typename T>
std::vector<T> Transposed(const T* from, int64_t rows, int64_t columns) {
  std::vector<T> out(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      out[j * rows + i] = from[i * columns + j];
    }
  }
  return out;
}

// out[0..rows) += matrix * x with the matrix transposed; columns of it from
// `first` on.
template <typename T>
void AddProduct(const std::vector<T>& matrix, int64_t stride, int64_t first,
                int64_t rows, const T* x, int64_t size, T* out) {
  for (int64_t j = 0; j < size; ++j) {
    const T* line = matrix.data() + j * stride + first;
    for (int64_t i = 0; i < rows; ++i) out[i] += line[i] * x[j];
  }
}

// The weights of one direction and the state of one sequence.
template <typename T>
struct Cell {
  int64_t hidden = 0;
  int64_t gates = 0;
  std::vector<T> w, r;    // transposed
  std::vector<T> wb, rb;  // zeros without a bias
  std::vector<T> p;       // peepholes i, o, f; zeros without
  std::vector<GateActivation> f;
  T clip = 0;  // none
  std::vector<T> h, c;

  T Activate(size_t which, T x) const {
    if (clip > 0) x = std::clamp(x, -clip, clip);
    return Apply(f[which], x);
  }
  // wb + w x
  std::vector<T> FromInput(const T* x, int64_t size) const {
    std::vector<T> out = wb;
    AddProduct(w, gates * hidden, 0, gates * hidden, x, size, out.data());
    return out;
  }
  // rb + r h for gates [first, last)
  void AddState(int64_t first, int64_t last, const std::vector<T>& state,
                T* out) const {
    const int64_t rows = (last - first) * hidden;
    for (int64_t i = 0; i < rows; ++i) out[i] += rb[first * hidden + i];
    AddProduct(r, gates * hidden, first * hidden, rows, state.data(), hidden,
               out);
  }
};

template <typename T>
void Step(const RNN&, const T* x, int64_t size, Cell<T>* cell) {
  std::vector<T> a = cell->FromInput(x, size);
  cell->AddState(0, 1, cell->h, a.data());
  for (int64_t i = 0; i < cell->hidden; ++i) {
    cell->h[i] = cell->Activate(0, a[i]);
  }
}

template <typename T>
void Step(const GRU& op, const T* x, int64_t size, Cell<T>* cell) {
  const int64_t n = cell->hidden;
  std::vector<T> a = cell->FromInput(x, size);
  cell->AddState(0, 2, cell->h, a.data());
  std::vector<T> reset(cell->h);
  for (int64_t i = 0; i < n; ++i) {
    a[i] = cell->Activate(0, a[i]);
    a[n + i] = cell->Activate(0, a[n + i]);
    reset[i] *= a[n + i];
  }
  if (op.linear_before_reset != 0) {
    std::vector<T> linear(static_cast<size_t>(n), T(0));
    cell->AddState(2, 3, cell->h, linear.data());
    for (int64_t i = 0; i < n; ++i) a[2 * n + i] += a[n + i] * linear[i];
  } else {
    cell->AddState(2, 3, reset, a.data() + 2 * n);
  }
  for (int64_t i = 0; i < n; ++i) {
    const T fresh = cell->Activate(1, a[2 * n + i]);
    cell->h[i] = (1 - a[i]) * fresh + a[i] * cell->h[i];
  }
}

template <typename T>
void Step(const LSTM& op, const T* x, int64_t size, Cell<T>* cell) {
  const int64_t n = cell->hidden;
  std::vector<T> a = cell->FromInput(x, size);
  cell->AddState(0, 4, cell->h, a.data());
  for (int64_t k = 0; k < n; ++k) {
    T& c = cell->c[k];
    const T in = cell->Activate(0, a[k] + cell->p[k] * c);
    const T forget =
        op.input_forget != 0
            ? 1 - in
            : cell->Activate(0, a[2 * n + k] + cell->p[2 * n + k] * c);
    c = forget * c + in * cell->Activate(1, a[3 * n + k]);
    const T out = cell->Activate(0, a[n + k] + cell->p[n + k] * c);
    cell->h[k] = out * Apply(cell->f[2], c);
  }
}

template <typename T>
std::vector<T> PartOf(const EvalContext& ctx, int input, int64_t part,
                      int64_t size) {
  std::vector<T> out(static_cast<size_t>(size), T(0));
  if (ctx.has(input)) {
    LoadElements<T>(ctx.in(input), part * size, size, out.data());
  }
  return out;
}

// One layer: its sizes, and where rows of x, y and the states are.
template <typename Layer>
struct LayerRun {
  const Layer& op;
  EvalContext& ctx;
  int64_t gates, length, batch, size, hidden, directions;
  std::vector<int64_t> lengths;

  int64_t InputRow(int64_t t, int64_t b) const {
    return op.layout == 1 ? b * length + t : t * batch + b;
  }
  int64_t OutputRow(int64_t t, int64_t d, int64_t b) const {
    return op.layout == 1 ? (b * length + t) * directions + d
                          : (t * directions + d) * batch + b;
  }
  int64_t StateRow(int64_t d, int64_t b) const {
    return op.layout == 1 ? b * directions + d : d * batch + b;
  }

  template <typename T>
  Cell<T> MakeCell(int64_t d, const std::vector<GateActivation>& all) const {
    const int64_t rows = gates * hidden;
    Cell<T> cell;
    cell.hidden = hidden;
    cell.gates = gates;
    const std::vector<T> w = PartOf<T>(ctx, 1, d, rows * size);
    const std::vector<T> r = PartOf<T>(ctx, 2, d, rows * hidden);
    cell.w = Transposed(w.data(), rows, size);
    cell.r = Transposed(r.data(), rows, hidden);
    const std::vector<T> bias = PartOf<T>(ctx, 3, d, 2 * rows);
    cell.wb.assign(bias.begin(), bias.begin() + rows);
    cell.rb.assign(bias.begin() + rows, bias.end());
    cell.p = PartOf<T>(ctx, 7, d, 3 * hidden);
    const int64_t per_direction = static_cast<int64_t>(all.size()) / directions;
    cell.f.assign(all.begin() + d * per_direction,
                  all.begin() + (d + 1) * per_direction);
    cell.clip = op.clip;
    return cell;
  }

  // All steps of sequence b in direction d.
  template <typename T>
  void RunSequence(int64_t d, int64_t b, const std::vector<T>& x,
                   Cell<T>* cell) {
    const bool backward = d == 1 || op.direction == "reverse";
    cell->h = PartOf<T>(ctx, 5, StateRow(d, b), hidden);
    cell->c = PartOf<T>(ctx, 6, StateRow(d, b), hidden);
    for (int64_t step = 0; step < lengths[b]; ++step) {
      const int64_t t = backward ? lengths[b] - 1 - step : step;
      Step(op, x.data() + InputRow(t, b) * size, size, cell);
      Store(0, OutputRow(t, d, b), cell->h);
    }
    const std::vector<T> zeros(static_cast<size_t>(hidden), T(0));
    for (int64_t t = lengths[b]; t < length; ++t) {
      Store(0, OutputRow(t, d, b), zeros);
    }
    Store(1, StateRow(d, b), cell->h);
    Store(2, StateRow(d, b), cell->c);
  }

 private:
  template <typename T>
  void Store(int output, int64_t row, const std::vector<T>& values) {
    if (!ctx.wants(output)) return;
    StoreElements<T>(values.data(), row * hidden, hidden, &ctx.out(output));
  }
};

template <typename Layer>
Status EvalLayer(const Layer& op, int64_t gates, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int64_t length = x.dim(op.layout == 1 ? 1 : 0);
  const int64_t batch = x.dim(op.layout == 1 ? 0 : 1);
  LayerRun<Layer> run{op,
                      ctx,
                      gates,
                      length,
                      batch,
                      x.dim(2),
                      ctx.in(2).dim(2),
                      ctx.in(2).dim(0),
                      std::vector<int64_t>(static_cast<size_t>(batch), length)};
  if (ctx.has(4)) run.lengths = ElementsAs<int64_t>(ctx.in(4));
  for (int64_t n : run.lengths) {
    if (n < 0 || n > length) {
      return InvalidArgument("a sequence of " + std::to_string(n) +
                             " steps in an input of " + std::to_string(length));
    }
  }
  STINT_ASSIGN_OR_RETURN(
      const auto activations,
      ReadGateActivations(op.activations, op.activation_alpha,
                          op.activation_beta, UsualActivations(op),
                          run.directions));
  VisitFloatCompute(x.dtype(), [&]<typename T>() {
    const std::vector<T> in = ElementsAs<T>(x);
    for (int64_t d = 0; d < run.directions; ++d) {
      Cell<T> cell = run.template MakeCell<T>(d, activations);
      for (int64_t b = 0; b < batch; ++b) run.RunSequence(d, b, in, &cell);
    }
  });
  return OkStatus();
}

}  // namespace

Status Eval(const RNN& op, EvalContext& ctx) { return EvalLayer(op, 1, ctx); }
Status Eval(const GRU& op, EvalContext& ctx) { return EvalLayer(op, 3, ctx); }
Status Eval(const LSTM& op, EvalContext& ctx) { return EvalLayer(op, 4, ctx); }

}  // namespace stint

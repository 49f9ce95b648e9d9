#include "engine/reference/signal/signal.h"

#include <algorithm>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/axis_lines.h"
#include "engine/reference/signal/fourier.h"

namespace stint {
namespace {

using Complex = std::complex<double>;

constexpr double kPi = 3.14159265358979323846;

// The second half of a real signal's spectrum mirrors the first.
void CompleteSpectrum(std::vector<Complex>* spectrum) {
  const size_t n = spectrum->size();
  (*spectrum)[0] = (*spectrum)[0].real();
  if (n % 2 == 0) (*spectrum)[n / 2] = (*spectrum)[n / 2].real();
  for (size_t k = n / 2 + 1; k < n; ++k) {
    (*spectrum)[k] = std::conj((*spectrum)[n - k]);
  }
}

}  // namespace

Status Eval(const DFT& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(
      const DftPlan plan,
      PlanDft(op, x.shape(), ctx.has(1) ? &ctx.in(1) : nullptr,
              ctx.has(2) ? &ctx.in(2) : nullptr));
  // Complex numbers are the elements: [outer, length, inner].
  const int64_t in_parts = x.shape().back();
  const int64_t out_parts = out.shape().back();
  AxisLines lines(x.shape(), plan.axis);
  lines.inner /= in_parts;
  const FourierTransform transform(plan.length, op.inverse != 0);
  const std::vector<double> values = ElementsAs<double>(x);
  std::vector<double> results(static_cast<size_t>(out.size()));
  std::vector<Complex> line(static_cast<size_t>(plan.length));
  std::vector<Complex> spectrum(line.size());
  for (int64_t l = 0; l < lines.outer * lines.inner; ++l) {
    const int64_t outer = l / lines.inner;
    const int64_t inner = l % lines.inner;
    std::fill(line.begin(), line.end(), Complex(0));
    for (int64_t i = 0; i < std::min(lines.length, plan.length); ++i) {
      const double* at =
          &values[((outer * lines.length + i) * lines.inner + inner) *
                  in_parts];
      line[i] = Complex(at[0], in_parts == 2 ? at[1] : 0.0);
    }
    if (op.inverse && op.onesided) CompleteSpectrum(&line);
    transform.Run(line.data(), spectrum.data());
    for (int64_t i = 0; i < plan.outputs; ++i) {
      double* at = &results[((outer * plan.outputs + i) * lines.inner + inner) *
                            out_parts];
      at[0] = spectrum[i].real();
      if (out_parts == 2) at[1] = spectrum[i].imag();
    }
  }
  StoreElements<double>(results.data(), 0, out.size(), &out);
  return OkStatus();
}

Status Eval(const STFT& op, EvalContext& ctx) {
  const Tensor& signal = ctx.in(0);
  Tensor& out = ctx.out(0);
  STINT_ASSIGN_OR_RETURN(const StftPlan plan,
                         PlanStft(op, signal.shape(), ctx.in(1),
                                  ctx.has(2) ? &ctx.in(2).shape() : nullptr,
                                  ctx.has(3) ? &ctx.in(3) : nullptr));
  const std::vector<double> window =
      ctx.has(2) ? ElementsAs<double>(ctx.in(2))
                 : std::vector<double>(static_cast<size_t>(plan.length), 1.0);
  const std::vector<double> values = ElementsAs<double>(signal);
  const int64_t parts = signal.dim(2);
  const FourierTransform transform(plan.length, false);
  std::vector<Complex> frame(static_cast<size_t>(plan.length));
  std::vector<Complex> spectrum(frame.size());
  std::vector<double> row(static_cast<size_t>(2 * plan.bins));
  for (int64_t f = 0; f < signal.dim(0) * plan.frames; ++f) {
    const double* at =
        values.data() +
        (f / plan.frames * signal.dim(1) + f % plan.frames * plan.step) * parts;
    for (int64_t i = 0; i < plan.length; ++i) {
      frame[i] = window[i] *
                 Complex(at[i * parts], parts == 2 ? at[i * parts + 1] : 0.0);
    }
    transform.Run(frame.data(), spectrum.data());
    for (int64_t i = 0; i < plan.bins; ++i) {
      row[2 * i] = spectrum[i].real();
      row[2 * i + 1] = spectrum[i].imag();
    }
    StoreElements<double>(row.data(), f * 2 * plan.bins, 2 * plan.bins, &out);
  }
  return OkStatus();
}

Status Eval(const SignalWindow& op, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  const double period =
      static_cast<double>(op.periodic ? out.size() : out.size() - 1);
  for (int64_t i = 0; i < out.size(); ++i) {
    const double angle = static_cast<double>(i) * 2 * kPi / period;
    double value = 0;
    switch (op.kind) {
      case WindowKind::kHann:
        value = std::pow(std::sin(angle / 2), 2);
        break;
      case WindowKind::kHamming:
        value = 25.0 / 46.0 - 21.0 / 46.0 * std::cos(angle);
        break;
      case WindowKind::kBlackman:
        value = 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
        break;
    }
    StoreElements<double>(&value, i, 1, &out);
  }
  return OkStatus();
}

namespace {

// Edges of the mel bands as bins of the spectrum.
Result<std::vector<int64_t>> BandEdges(double low, double high, int64_t bands,
                                       double dft_length, double rate,
                                       int64_t bins) {
  const auto mel = [](double hertz) {
    return 2595 * std::log1p(hertz / 700) / std::log(10.0);
  };
  const double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz =
        700 * std::expm1((static_cast<double>(i) * step + mel(low)) / 2595 *
                         std::log(10.0));
    const double bin = std::floor((dft_length + 1) * hertz / rate);
    if (!(bin >= 0 && bin < static_cast<double>(bins))) {
      return InvalidArgument("mel bands reach outside of the spectrum");
    }
    edges.push_back(static_cast<int64_t>(bin));
  }
  return edges;
}

}  // namespace

Status Eval(const MelWeightMatrix&, EvalContext& ctx) {
  Tensor& out = ctx.out(0);
  const int64_t bands = out.dim(1);
  STINT_ASSIGN_OR_RETURN(
      const auto edges,
      BandEdges(ScalarAs<double>(ctx.in(3)), ScalarAs<double>(ctx.in(4)), bands,
                ScalarAs<double>(ctx.in(1)), ScalarAs<double>(ctx.in(2)),
                out.dim(0)));
  std::vector<double> weights(static_cast<size_t>(out.size()), 0.0);
  for (int64_t b = 0; b < bands; ++b) {
    const int64_t low = edges[b];
    const int64_t center = edges[b + 1];
    const int64_t high = edges[b + 2];
    if (low == center) weights[center * bands + b] = 1;
    for (int64_t i = low; low < center && i <= center; ++i) {
      weights[i * bands + b] =
          static_cast<double>(i - low) / static_cast<double>(center - low);
    }
    for (int64_t i = center; i < high; ++i) {
      weights[i * bands + b] =
          static_cast<double>(high - i) / static_cast<double>(high - center);
    }
  }
  StoreElements<double>(weights.data(), 0, out.size(), &out);
  return OkStatus();
}

}  // namespace stint

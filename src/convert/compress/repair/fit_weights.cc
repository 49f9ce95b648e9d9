#include "convert/compress/repair/fit_weights.h"

#include "core/platform/cpu_info.h"
#include "kernels/gemm_f32/gemm_f32.h"

namespace stint {
namespace {

// Of what the residual would be without any weights, squared: what is left
// then is the rounding of float32.
constexpr double kEnough = 1e-11;

// Solves (S + ridge I) d = P - S w for the change d of the weights w, all
// outputs at once: each is a run of its own, but one product serves all.
class WeightFit {
 public:
  WeightFit(const NormalEquations& equations, const FitOptions& options,
            const std::vector<bool>& fixed, ThreadPool* pool)
      : equations_(equations),
        fixed_(fixed),
        pool_(pool),
        kernel_(PickGemmF32(DetectIsa())),
        terms_(equations.terms) {
    squares_ = equations.squares;
    double sum = 0;
    for (int64_t t = 0; t < terms_; ++t) sum += Diagonal(t);
    const double mean = sum / static_cast<double>(terms_);
    for (int64_t t = 0; t < terms_; ++t) {
      Diagonal(t) += static_cast<float>(mean * options.ridge);
    }
    packed_.resize(static_cast<size_t>(
        GemmF32PackedBytes(kernel_, terms_, terms_) / sizeof(float)));
    Pack(equations.squares);
  }

  void Run(int steps, std::vector<float>* weights) {
    Start(*weights);
    Pack(squares_);
    for (int step = 0; step < steps; ++step) {
      Multiply(direction_);
      ForEachRow([&](int64_t o) { Step(o, weights->data() + o * terms_); });
    }
  }

 private:
  float& Diagonal(int64_t t) {
    return squares_[static_cast<size_t>(t * terms_ + t)];
  }
  float* Row(std::vector<float>* of, int64_t o) const {
    return of->data() + o * terms_;
  }
  bool IsFixed(int64_t o, int64_t t) const {
    return !fixed_.empty() && fixed_[static_cast<size_t>(o * terms_ + t)];
  }

  template <class Body>
  void ForEachRow(const Body& body) {
    pool_->ParallelFor(equations_.outputs, 4, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) body(o);
    });
  }

  void Pack(const std::vector<float>& squares) {
    GemmF32PackB(kernel_, {squares.data(), terms_, false}, terms_, terms_,
                 packed_.data(), pool_);
  }

  // product_ = rows * what is packed.
  void Multiply(const std::vector<float>& rows) {
    GemmF32Args args;
    args.m = equations_.outputs;
    args.n = terms_;
    args.k = terms_;
    args.a = rows.data();
    args.lda = terms_;
    args.b = packed_.data();
    args.c = product_.data();
    args.ldc = terms_;
    GemmF32(kernel_, args, pool_);
  }

  void Start(const std::vector<float>& weights) {
    product_.resize(weights.size());
    residual_.resize(weights.size());
    direction_.resize(weights.size());
    length_.resize(static_cast<size_t>(equations_.outputs));
    enough_.resize(length_.size());
    Multiply(weights);
    ForEachRow([&](int64_t o) {
      float* r = Row(&residual_, o);
      float* d = Row(&direction_, o);
      const float* wanted = equations_.products.data() + o * terms_;
      double length = 0;
      double whole = 0;
      for (int64_t t = 0; t < terms_; ++t) {
        const float product = product_[static_cast<size_t>(o * terms_ + t)];
        r[t] = IsFixed(o, t) ? 0 : wanted[t] - product;
        d[t] = Scaled(r, t);
        length += static_cast<double>(r[t]) * d[t];
        whole += static_cast<double>(wanted[t]) * Scaled(wanted, t);
      }
      length_[static_cast<size_t>(o)] = length;
      enough_[static_cast<size_t>(o)] = whole * kEnough;
    });
  }

  // Terms differ in size: each counts by its own.
  float Scaled(const float* r, int64_t t) {
    return Diagonal(t) > 0 ? r[t] / Diagonal(t) : 0;
  }

  void Step(int64_t o, float* w) {
    float* r = Row(&residual_, o);
    float* d = Row(&direction_, o);
    const float* q = Row(&product_, o);
    double curvature = 0;
    for (int64_t t = 0; t < terms_; ++t) {
      curvature += static_cast<double>(d[t]) * q[t];
    }
    double& length = length_[static_cast<size_t>(o)];
    if (!(curvature > 0) || length <= enough_[static_cast<size_t>(o)]) return;
    const auto by = static_cast<float>(length / curvature);
    double next = 0;
    for (int64_t t = 0; t < terms_; ++t) {
      w[t] += by * d[t];
      r[t] = IsFixed(o, t) ? 0 : r[t] - by * q[t];
      next += static_cast<double>(r[t]) * Scaled(r, t);
    }
    const auto keep = static_cast<float>(next / length);
    for (int64_t t = 0; t < terms_; ++t) d[t] = Scaled(r, t) + keep * d[t];
    length = next;
  }

  const NormalEquations& equations_;
  const std::vector<bool>& fixed_;
  ThreadPool* pool_;
  const GemmF32Kernel& kernel_;
  const int64_t terms_;
  std::vector<float> squares_;  // with the ridge
  std::vector<float> packed_;
  std::vector<float> product_;    // [outputs, terms], as all below
  std::vector<float> residual_;   //
  std::vector<float> direction_;  //
  std::vector<double> length_;    // of the residual, squared, by output
  std::vector<double> enough_;    // at which an output is there
};

}  // namespace

void FitWeights(const NormalEquations& equations, const FitOptions& options,
                const std::vector<bool>& fixed, ThreadPool* pool,
                std::vector<float>* weights) {
  WeightFit(equations, options, fixed, pool).Run(options.steps, weights);
}

}  // namespace stint

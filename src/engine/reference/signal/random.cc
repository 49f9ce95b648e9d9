#include "core/base/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/signal/signal.h"

namespace stint {
namespace {

Random Generator(float seed) { return Random(std::bit_cast<uint32_t>(seed)); }

template <typename Next>
Status Fill(Tensor* out, Next next) {
  for (int64_t i = 0; i < out->size(); ++i) {
    const double value = next();
    StoreElements<double>(&value, i, 1, out);
  }
  return OkStatus();
}

template <typename Normal>
Status FillNormal(const Normal& op, Tensor* out) {
  Random random = Generator(op.seed);
  return Fill(out, [&] {
    return static_cast<double>(op.mean) +
           static_cast<double>(op.scale) * random.NextNormal();
  });
}

template <typename Uniform>
Status FillUniform(const Uniform& op, Tensor* out) {
  Random random = Generator(op.seed);
  const double low = static_cast<double>(op.low);
  const double high = static_cast<double>(op.high);
  return Fill(out, [&] { return low + (high - low) * random.NextDouble(); });
}

}  // namespace

Status Eval(const RandomNormal& op, EvalContext& ctx) {
  return FillNormal(op, &ctx.out(0));
}
Status Eval(const RandomNormalLike& op, EvalContext& ctx) {
  return FillNormal(op, &ctx.out(0));
}
Status Eval(const RandomUniform& op, EvalContext& ctx) {
  return FillUniform(op, &ctx.out(0));
}
Status Eval(const RandomUniformLike& op, EvalContext& ctx) {
  return FillUniform(op, &ctx.out(0));
}

Status Eval(const Bernoulli& op, EvalContext& ctx) {
  Random random = Generator(op.seed);
  const std::vector<double> probability = ElementsAs<double>(ctx.in(0));
  size_t i = 0;
  return Fill(&ctx.out(0), [&] {
    return random.NextDouble() < probability[i++] ? 1.0 : 0.0;
  });
}

Status Eval(const Multinomial& op, EvalContext& ctx) {
  Random random = Generator(op.seed);
  const int64_t classes = ctx.in(0).dim(1);
  if (classes == 0 && ctx.out(0).size() > 0) {
    return InvalidArgument("no classes to choose from");
  }
  std::vector<double> sums = ElementsAs<double>(ctx.in(0));
  for (int64_t row = 0; row < ctx.in(0).dim(0); ++row) {
    double* begin = sums.data() + row * classes;
    double* end = begin + classes;
    const double most = classes > 0 ? *std::max_element(begin, end) : 0;
    double total = 0;
    for (double* sum = begin; sum != end; ++sum) {
      total += std::exp(*sum - most);
      *sum = total;
    }
    for (int64_t i = 0; i < op.sample_size; ++i) {
      const double* chosen =
          std::upper_bound(begin, end, random.NextDouble() * total);
      const int64_t index = std::min<int64_t>(chosen - begin, classes - 1);
      StoreElements<int64_t>(&index, row * op.sample_size + i, 1, &ctx.out(0));
    }
  }
  return OkStatus();
}

}  // namespace stint

#include <cmath>

#include "core/tensor/element_access.h"
#include "engine/reference/attention/attention.h"

namespace stint {
namespace {

// One rotary embedding over [batch, length, heads, size] in any layout.
struct Rotation {
  int64_t size, dim;
  bool interleaved;

  // Rotates the first `dim` elements of one head in place.
  void Apply(const float* cos, const float* sin, float* x) const {
    const int64_t half = dim / 2;
    for (int64_t i = 0; i < half; ++i) {
      float& a = x[interleaved ? 2 * i : i];
      float& b = x[interleaved ? 2 * i + 1 : half + i];
      const float real = cos[i] * a - sin[i] * b;
      b = sin[i] * a + cos[i] * b;
      a = real;
    }
  }
};

}  // namespace

Status Eval(const RotaryEmbedding& op, EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const bool packed = in.rank() == 3;
  const int64_t batch = in.dim(0);
  const int64_t heads = packed ? op.num_heads : in.dim(1);
  const int64_t length = in.dim(packed ? 1 : 2);
  const int64_t size = packed ? in.dim(2) / heads : in.dim(3);
  const Rotation rotation{
      size, op.rotary_embedding_dim != 0 ? op.rotary_embedding_dim : size,
      op.interleaved != 0};
  std::vector<float> x = ElementsAs<float>(in);
  const std::vector<float> cos = ElementsAs<float>(ctx.in(1));
  const std::vector<float> sin = ElementsAs<float>(ctx.in(2));
  const int64_t half = rotation.dim / 2;
  const int64_t positions = ctx.in(1).dim(0);
  const std::vector<int64_t> ids =
      ctx.has(3) ? ElementsAs<int64_t>(ctx.in(3)) : std::vector<int64_t>();
  for (int64_t at = 0; at < batch * length; ++at) {
    int64_t row = at;
    if (ctx.has(3)) {
      row = ids[at] < 0 ? ids[at] + positions : ids[at];
      if (row < 0 || row >= positions) {
        return InvalidArgument("position " + std::to_string(ids[at]) +
                               " is not in a cache of " +
                               std::to_string(positions));
      }
    }
    const int64_t b = at / length;
    const int64_t i = at % length;
    for (int64_t h = 0; h < heads; ++h) {
      const int64_t head =
          packed ? at * heads + h : (b * heads + h) * length + i;
      rotation.Apply(cos.data() + row * half, sin.data() + row * half,
                     x.data() + head * size);
    }
  }
  StoreElements<float>(x.data(), 0, in.size(), &ctx.out(0));
  return OkStatus();
}

namespace {

// The inputs of a linear attention as floats, and its sizes.
struct LinearRun {
  int64_t batch, length, q_heads, kv_heads, size, value_size;
  float scale;
  std::vector<float> q, k, v, decay, beta, state, y;

  // One step of one key head: decay, correct, write.
  void Update(int64_t b, int64_t t, int64_t h, float* s) {
    const int64_t row = (b * length + t) * kv_heads + h;
    const float* key = k.data() + row * size;
    std::vector<float> value(v.begin() + row * value_size,
                             v.begin() + (row + 1) * value_size);
    if (!decay.empty()) Decay(row, s);
    if (!beta.empty()) {
      std::vector<float> found(static_cast<size_t>(value_size), 0.0f);
      for (int64_t d = 0; d < size; ++d) {
        for (int64_t m = 0; m < value_size; ++m) {
          found[m] += s[d * value_size + m] * key[d];
        }
      }
      const bool shared = static_cast<int64_t>(beta.size()) == batch * length;
      const float rate = beta[shared ? b * length + t : row];
      for (int64_t m = 0; m < value_size; ++m) {
        value[m] = rate * (value[m] - found[m]);
      }
    }
    for (int64_t d = 0; d < size; ++d) {
      for (int64_t m = 0; m < value_size; ++m) {
        s[d * value_size + m] += key[d] * value[m];
      }
    }
  }

  void Read(int64_t b, int64_t t, int64_t h, const float* s) {
    const int64_t row = (b * length + t) * q_heads + h;
    float* out = y.data() + row * value_size;
    for (int64_t d = 0; d < size; ++d) {
      const float x = scale * q[row * size + d];
      for (int64_t m = 0; m < value_size; ++m) {
        out[m] += x * s[d * value_size + m];
      }
    }
  }

 private:
  // One rate per head or one per key element.
  void Decay(int64_t row, float* s) {
    const bool per_head =
        static_cast<int64_t>(decay.size()) == batch * length * kv_heads;
    for (int64_t d = 0; d < size; ++d) {
      const float rate = std::exp(decay[per_head ? row : row * size + d]);
      for (int64_t m = 0; m < value_size; ++m) s[d * value_size + m] *= rate;
    }
  }
};

std::vector<float> FloatsOrNone(const EvalContext& ctx, int i) {
  return ctx.has(i) ? ElementsAs<float>(ctx.in(i)) : std::vector<float>();
}

}  // namespace

Status Eval(const LinearAttention& op, EvalContext& ctx) {
  LinearRun run;
  run.batch = ctx.in(0).dim(0);
  run.length = ctx.in(0).dim(1);
  run.q_heads = op.q_num_heads;
  run.kv_heads = op.kv_num_heads;
  run.size = ctx.in(0).dim(2) / op.q_num_heads;
  run.value_size = ctx.in(2).dim(2) / op.kv_num_heads;
  run.scale =
      op.scale != 0 ? op.scale : 1.0f / std::sqrt(static_cast<float>(run.size));
  run.q = ElementsAs<float>(ctx.in(0));
  run.k = ElementsAs<float>(ctx.in(1));
  run.v = ElementsAs<float>(ctx.in(2));
  run.decay = FloatsOrNone(ctx, 4);
  run.beta = FloatsOrNone(ctx, 5);
  const int64_t cells = run.size * run.value_size;
  run.state = FloatsOrNone(ctx, 3);
  run.state.resize(static_cast<size_t>(run.batch * run.kv_heads * cells));
  run.y.resize(static_cast<size_t>(ctx.out(0).size()));
  const int64_t group = run.q_heads / run.kv_heads;
  for (int64_t b = 0; b < run.batch; ++b) {
    for (int64_t t = 0; t < run.length; ++t) {
      for (int64_t h = 0; h < run.kv_heads; ++h) {
        float* state = run.state.data() + (b * run.kv_heads + h) * cells;
        run.Update(b, t, h, state);
        for (int64_t g = 0; g < group; ++g) {
          run.Read(b, t, h * group + g, state);
        }
      }
    }
  }
  StoreElements<float>(run.y.data(), 0, ctx.out(0).size(), &ctx.out(0));
  if (ctx.wants(1)) {
    StoreElements<float>(run.state.data(), 0, ctx.out(1).size(), &ctx.out(1));
  }
  return OkStatus();
}

}  // namespace stint

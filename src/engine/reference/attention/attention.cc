#include "engine/reference/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/tensor/element_access.h"

namespace stint {
namespace {

// Where row (b, h, i) of a q, k or v starts, in rows of one head.
int64_t RowOf(bool packed, int64_t b, int64_t h, int64_t i, int64_t heads,
              int64_t length) {
  return packed ? (b * length + i) * heads + h : (b * heads + h) * length + i;
}

// Past rows, then new ones: [batch, kv heads, total, size].
template <typename T>
std::vector<T> JoinPast(const AttentionSizes& s, int64_t size,
                        const Tensor* past, const Tensor& fresh) {
  const std::vector<T> before =
      past != nullptr ? ElementsAs<T>(*past) : std::vector<T>();
  const std::vector<T> after = ElementsAs<T>(fresh);
  std::vector<T> out;
  out.reserve(before.size() + after.size());
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.kv_heads; ++h) {
      const auto first = before.begin() + (b * s.kv_heads + h) * s.past * size;
      out.insert(out.end(), first, first + s.past * size);
      for (int64_t i = 0; i < s.kv_length; ++i) {
        const auto row =
            after.begin() +
            RowOf(s.packed, b, h, i, s.kv_heads, s.kv_length) * size;
        out.insert(out.end(), row, row + size);
      }
    }
  }
  return out;
}

// What is added to the scores of one query.
template <typename T>
class Bias {
 public:
  Bias(const Attention& op, const AttentionSizes& s, const EvalContext& ctx)
      : op_(op), s_(s) {
    if (ctx.has(3)) LoadMask(ctx.in(3));
    if (ctx.has(6)) {
      valid_ = ElementsAs<int64_t>(ctx.in(6));
      for (int64_t& n : valid_) n = std::clamp<int64_t>(n, 0, s.total());
    }
  }

  // The biases of query i against every key. Returns whether all are -inf.
  bool Row(int64_t b, int64_t h, int64_t i, T* row) const {
    const int64_t at =
        valid_.empty() ? s_.past + i : valid_[b] - s_.q_length + i;
    const int64_t end = valid_.empty() ? s_.total() : valid_[b];
    const T* mask = MaskRow(b, h, i);
    bool all_masked = true;
    for (int64_t j = 0; j < s_.total(); ++j) {
      const bool hidden =
          j >= end || (op_.is_causal && j > at) ||
          (op_.left_window_size >= 0 && j < at - op_.left_window_size) ||
          (op_.right_window_size >= 0 && j - at > op_.right_window_size);
      const T given = mask == nullptr ? T(0) : j < width_ ? mask[j] : kMasked;
      row[j] = hidden ? given + kMasked : given;
      all_masked = all_masked && row[j] == kMasked;
    }
    return all_masked;
  }

 private:
  static constexpr T kMasked = -std::numeric_limits<T>::infinity();

  void LoadMask(const Tensor& mask) {
    mask_ = ElementsAs<T>(mask);
    if (mask.dtype() == DType::kBool) {
      for (T& value : mask_) value = value != 0 ? T(0) : kMasked;
    }
    dims_ = mask.shape();
    dims_.insert(dims_.begin(), 4 - dims_.size(), 1);
    width_ = dims_[3];
  }
  const T* MaskRow(int64_t b, int64_t h, int64_t i) const {
    if (dims_.empty()) return nullptr;
    const int64_t row =
        ((dims_[0] > 1 ? b : 0) * dims_[1] + (dims_[1] > 1 ? h : 0)) *
            dims_[2] +
        (dims_[2] > 1 ? i : 0);
    return mask_.data() + row * width_;
  }

  const Attention& op_;
  const AttentionSizes& s_;
  std::vector<T> mask_;
  Shape dims_;  // of the mask, four; empty without one
  int64_t width_ = 0;
  std::vector<int64_t> valid_;
};

template <typename T>
void SoftmaxRow(T* row, int64_t n) {
  T max = -std::numeric_limits<T>::infinity();
  for (int64_t j = 0; j < n; ++j) {
    if (row[j] > max || std::isnan(row[j])) max = row[j];
  }
  if (std::isinf(max) && max < 0) max = 0;
  T sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += row[j] = std::exp(row[j] - max);
  if (sum == 0) sum = 1;
  for (int64_t j = 0; j < n; ++j) row[j] /= sum;
}

// All heads of one attention. Vectors are empty where nobody wants them.
template <typename T>
struct AttentionRun {
  const Attention& op;
  const AttentionSizes& s;
  const Bias<T>& bias;
  const std::vector<T>& q;
  const std::vector<T>& k;
  const std::vector<T>& v;
  std::vector<T>& y;
  std::vector<T>& scores;
  T scale;

  // Keys of one head, transposed to [size, total]: scores are then sums over
  // contiguous rows.
  std::vector<T> KeysOf(int64_t b, int64_t h) const {
    const int64_t total = s.total();
    std::vector<T> keys(static_cast<size_t>(s.size * total));
    const T* from = k.data() + (b * s.kv_heads + h) * total * s.size;
    for (int64_t j = 0; j < total; ++j) {
      for (int64_t d = 0; d < s.size; ++d) {
        keys[d * total + j] = from[j * s.size + d];
      }
    }
    return keys;
  }

  void Head(int64_t b, int64_t h) const {
    const int64_t kv = h / (s.q_heads / s.kv_heads);
    const std::vector<T> keys = KeysOf(b, kv);
    const T* values =
        v.data() + (b * s.kv_heads + kv) * s.total() * s.value_size;
    std::vector<T> row(static_cast<size_t>(s.total()));
    std::vector<T> biases(row.size());
    for (int64_t i = 0; i < s.q_length; ++i) {
      Scores(b, h, i, keys, row.data());
      Probabilities(b, h, i, biases.data(), row.data());
      T* out = y.data() +
               RowOf(s.packed, b, h, i, s.q_heads, s.q_length) * s.value_size;
      for (int64_t j = 0; j < s.total(); ++j) {
        for (int64_t d = 0; d < s.value_size; ++d) {
          out[d] += row[j] * values[j * s.value_size + d];
        }
      }
    }
  }

 private:
  void Scores(int64_t b, int64_t h, int64_t i, const std::vector<T>& keys,
              T* row) const {
    const int64_t total = s.total();
    const T* query =
        q.data() + RowOf(s.packed, b, h, i, s.q_heads, s.q_length) * s.size;
    std::fill(row, row + total, T(0));
    for (int64_t d = 0; d < s.size; ++d) {
      const T x = query[d] * scale;
      const T* line = keys.data() + d * total;
      for (int64_t j = 0; j < total; ++j) row[j] += x * line[j];
    }
  }

  void Probabilities(int64_t b, int64_t h, int64_t i, T* biases, T* row) const {
    const int64_t total = s.total();
    Keep(0, b, h, i, row);
    if (op.softcap > 0) {
      const T cap = op.softcap;
      for (int64_t j = 0; j < total; ++j) {
        row[j] = std::tanh(row[j] / cap) * cap;
      }
    }
    Keep(1, b, h, i, row);
    const bool all_masked = bias.Row(b, h, i, biases);
    for (int64_t j = 0; j < total; ++j) row[j] += biases[j];
    Keep(2, b, h, i, row);
    SoftmaxRow(row, total);
    if (all_masked) std::fill(row, row + total, T(0));
    Keep(3, b, h, i, row);
  }

  void Keep(int64_t mode, int64_t b, int64_t h, int64_t i, const T* row) const {
    if (scores.empty() || op.qk_matmul_output_mode != mode) return;
    const int64_t at = (b * s.q_heads + h) * s.q_length + i;
    std::copy_n(row, s.total(), scores.data() + at * s.total());
  }
};

template <typename T>
void StoreAll(const std::vector<T>& values, int output, EvalContext& ctx) {
  StoreElements<T>(values.data(), 0, static_cast<int64_t>(values.size()),
                   &ctx.out(output));
}

}  // namespace

Status Eval(const Attention& op, EvalContext& ctx) {
  STINT_ASSIGN_OR_RETURN(
      const AttentionSizes s,
      SizeAttention(op, ctx.in(0).shape(), ctx.in(1).shape(), ctx.in(2).shape(),
                    ctx.has(4) ? &ctx.in(4).shape() : nullptr));
  const bool wide = op.softmax_precision == DType::kFloat64;
  VisitFloatCompute(
      wide ? DType::kFloat64 : ctx.in(0).dtype(), [&]<typename T>() {
        const std::vector<T> q = ElementsAs<T>(ctx.in(0));
        const std::vector<T> k = JoinPast<T>(
            s, s.size, ctx.has(4) ? &ctx.in(4) : nullptr, ctx.in(1));
        const std::vector<T> v = JoinPast<T>(
            s, s.value_size, ctx.has(5) ? &ctx.in(5) : nullptr, ctx.in(2));
        std::vector<T> y(static_cast<size_t>(ctx.out(0).size()), T(0));
        std::vector<T> scores(
            static_cast<size_t>(ctx.wants(3) ? ctx.out(3).size() : 0));
        const Bias<T> bias(op, s, ctx);
        const T scale = op.scale != 0
                            ? T(op.scale)
                            : T(1) / std::sqrt(static_cast<T>(s.size));
        const AttentionRun<T> run{op, s, bias, q, k, v, y, scores, scale};
        ctx.pool()->ParallelFor(s.batch * s.q_heads, 1,
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t at = begin; at < end; ++at) {
                                    run.Head(at / s.q_heads, at % s.q_heads);
                                  }
                                });
        StoreAll(y, 0, ctx);
        if (ctx.wants(1)) StoreAll(k, 1, ctx);
        if (ctx.wants(2)) StoreAll(v, 2, ctx);
        if (ctx.wants(3)) StoreAll(scores, 3, ctx);
      });
  return OkStatus();
}

}  // namespace stint

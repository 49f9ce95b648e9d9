#include <algorithm>
#include <map>

#include "core/tensor/element_access.h"
#include "engine/reference/sequence/strings.h"

namespace stint {
namespace {

// The n-grams of a vocabulary, token by token.
template <typename Token>
class GramTree {
 public:
  GramTree(const TfIdfVectorizer& op, const std::vector<Token>& pool)
      : nodes_(1) {
    size_t gram = 0;
    for (size_t i = 0; i < op.ngram_counts.size(); ++i) {
      const size_t length = i + 1;
      const size_t end = i + 1 < op.ngram_counts.size()
                             ? static_cast<size_t>(op.ngram_counts[i + 1])
                             : pool.size();
      const bool counted = static_cast<int64_t>(length) >= op.min_gram_length &&
                           static_cast<int64_t>(length) <= op.max_gram_length;
      for (size_t at = static_cast<size_t>(op.ngram_counts[i]); at < end;
           at += length, ++gram) {
        if (counted) Add(&pool[at], length, op.ngram_indexes[gram]);
      }
    }
  }

  // Adds 1 to the column of every n-gram that starts at `first` and takes every
  // `distance`-th token up to `last`.
  void Count(const Token* first, const Token* last, int64_t distance,
             int64_t least, int64_t most, float* columns) const {
    size_t node = 0;
    int64_t length = 1;
    while (length <= most) {
      const auto it = nodes_[node].next.find(*first);
      if (it == nodes_[node].next.end()) return;
      node = it->second;
      if (length >= least && nodes_[node].column >= 0) {
        columns[nodes_[node].column] += 1;
      }
      if (last - first <= distance) return;
      first += distance;
      ++length;
    }
  }

 private:
  struct Node {
    int64_t column = -1;  // -1: no n-gram ends here
    std::map<Token, size_t> next;
  };

  void Add(const Token* tokens, size_t length, int64_t column) {
    size_t node = 0;
    for (size_t i = 0; i < length; ++i) {
      const auto [it, added] =
          nodes_[node].next.try_emplace(tokens[i], nodes_.size());
      node = it->second;
      if (added) nodes_.emplace_back();
    }
    nodes_[node].column = column;
  }

  std::vector<Node> nodes_;
};

template <typename Token>
void CountRow(const TfIdfVectorizer& op, const GramTree<Token>& tree,
              const Token* row, int64_t length, float* columns) {
  int64_t least = op.min_gram_length;
  // Tokens further apart than the row is long are in no row.
  const int64_t farthest =
      std::min(op.max_skip_count, std::max<int64_t>(length, 1) - 1) + 1;
  for (int64_t distance = 1; distance <= farthest; ++distance) {
    for (int64_t begin = 0; begin < length; ++begin) {
      if (least > 1 && (length - 1 - begin) / distance < least - 1) break;
      tree.Count(row + begin, row + length, distance, least, op.max_gram_length,
                 columns);
    }
    // Skipping does not change single tokens; they count once.
    if (least == 1 && ++least > op.max_gram_length) break;
  }
}

template <typename Token>
void CountAll(const TfIdfVectorizer& op, const std::vector<Token>& pool,
              const std::vector<Token>& tokens, int64_t rows, Tensor* out) {
  if (rows == 0) return;
  const GramTree<Token> tree(op, pool);
  const int64_t length = static_cast<int64_t>(tokens.size()) / rows;
  const int64_t columns = out->size() / rows;
  for (int64_t r = 0; r < rows; ++r) {
    CountRow(op, tree, tokens.data() + r * length, length,
             out->data<float>() + r * columns);
  }
}

void Weigh(const TfIdfVectorizer& op, int64_t columns, Tensor* out) {
  for (int64_t i = 0; i < out->size(); ++i) {
    float& value = out->data<float>()[i];
    const float weight = op.weights.empty() ? 1.0f : op.weights[i % columns];
    if (op.mode == "IDF") value = value > 0 ? weight : 0.0f;
    if (op.mode == "TFIDF") value *= weight;
  }
}

}  // namespace

Status Eval(const TfIdfVectorizer& op, EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  Tensor& out = ctx.out(0);
  if (out.size() == 0) return OkStatus();
  std::fill_n(out.data<float>(), out.size(), 0.0f);
  const int64_t rows = x.rank() == 2 ? x.dim(0) : 1;
  if (x.dtype() == DType::kString) {
    const std::string* text = x.data<std::string>();
    CountAll(op, op.pool_strings,
             std::vector<std::string>(text, text + x.size()), rows, &out);
  } else {
    CountAll(op, op.pool_int64s, ElementsAs<int64_t>(x), rows, &out);
  }
  Weigh(op, out.shape().back(), &out);
  return OkStatus();
}

}  // namespace stint

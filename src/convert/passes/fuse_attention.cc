#include "convert/passes/matcher.h"
#include "convert/passes/pass.h"
#include "convert/passes/product.h"

namespace stint {
namespace {

// What was found of softmax(scale * q k^T + mask) v.
struct Found {
  ValueId q, k, v;
  ValueId mask = kNoValue;
  double scale = 1;
  int64_t heads = 0;
};

class AttentionPattern {
 public:
  AttentionPattern(const Matcher& match, const Graph& graph)
      : match_(match), graph_(graph) {}

  // `joined` is [batch, length, heads, size] with the heads side by side.
  std::optional<Found> At(ValueId joined) {
    Found found;
    const Node* mixed = ProductOfTwo(Turned(joined, {0, 2, 1, 3}));
    if (mixed == nullptr) return std::nullopt;
    found.v = SplitHeads(Turned(mixed->inputs[1], {0, 2, 1, 3}), &found);
    const Node* softmax = match_.MadeOnce<Softmax>(mixed->inputs[0]);
    if (!found.v.valid() || softmax == nullptr) return std::nullopt;
    const int64_t axis = As<Softmax>(softmax->op)->axis;
    if (axis != -1 && axis != 3) return std::nullopt;
    const ValueId scores = softmax->inputs[0];
    if (Scores(scores, &found)) return found;
    const Node* sum = match_.MadeOnceBy(BinaryKind::kAdd, scores);
    if (sum == nullptr) return std::nullopt;
    for (size_t i = 0; i < 2; ++i) {
      found.mask = sum->inputs[1 - i];
      if (match_.IsFloat32(found.mask) && Scores(sum->inputs[i], &found)) {
        return found;
      }
    }
    return std::nullopt;
  }

 private:
  // The product of two activations that makes `value`, read once.
  const Node* ProductOfTwo(ValueId value) const {
    return match_.MadeOnce<MatMul>(value);
  }

  // What `value` is the transposition of, or kNoValue.
  ValueId Turned(ValueId value, const std::vector<int64_t>& perm) const {
    const Node* node = match_.MadeOnce<Transpose>(value);
    return node != nullptr && As<Transpose>(node->op)->perm == perm
               ? node->inputs[0]
               : kNoValue;
  }

  // value is [batch, length, heads, size], reshaped from the 3-D result.
  ValueId SplitHeads(ValueId value, Found* found) const {
    const Node* reshape = match_.MadeOnce<Reshape>(value);
    if (reshape == nullptr) return kNoValue;
    const ValueType& split = graph_.value(value).type;
    const ValueType& whole = graph_.value(reshape->inputs[0]).type;
    if (!split.ranked || split.rank() != 4 || !whole.ranked ||
        whole.rank() != 3 || !IsKnown(split.dims[2]) ||
        !IsKnown(split.dims[3]) || split.dims[0] != whole.dims[0] ||
        split.dims[1] != whole.dims[1] || whole.dims[0] == kUnknownDim ||
        whole.dims[1] == kUnknownDim) {
      return kNoValue;
    }
    if (found->heads != 0 && found->heads != split.dims[2]) return kNoValue;
    found->heads = split.dims[2];
    return reshape->inputs[0];
  }

  // Takes constant factors off.
  ValueId Unscaled(ValueId value, double* scale) const {
    const Product product = ProductOf(match_, value);
    if (product.factors.size() != 1) return kNoValue;
    *scale *= product.scale;
    return product.factors[0];
  }

  // value is scale * q k^T.
  bool Scores(ValueId value, Found* found) const {
    double scale = 1;
    const Node* dot = ProductOfTwo(Unscaled(value, &scale));
    if (dot == nullptr) return false;
    const ValueId q = Unscaled(dot->inputs[0], &scale);
    const ValueId k = Unscaled(dot->inputs[1], &scale);
    if (!q.valid() || !k.valid()) return false;
    found->q = Split(Turned(q, {0, 2, 1, 3}), &scale, found);
    ValueId keys = Turned(k, {0, 2, 3, 1});
    if (!keys.valid()) {
      const ValueId by_head = Turned(k, {0, 1, 3, 2});
      if (by_head.valid()) keys = Turned(by_head, {0, 2, 1, 3});
    }
    found->k = Split(keys, &scale, found);
    found->scale = scale;
    return found->q.valid() && found->k.valid();
  }

  ValueId Split(ValueId value, double* scale, Found* found) const {
    if (!value.valid()) return kNoValue;
    const ValueId whole = SplitHeads(value, found);
    return whole.valid() ? Unscaled(whole, scale) : kNoValue;
  }

  const Matcher& match_;
  const Graph& graph_;
};

// The reshape reads [batch, length, heads * size] as well as the 4-D form: it
// does not keep the third dimension by a 0.
bool JoinsHeads(const Matcher& match, const Graph& graph, const Node& node) {
  const ValueType& out = graph.value(node.outputs[0]).type;
  if (As<Flatten>(node.op) != nullptr || !out.ranked || out.rank() > 3) {
    return false;
  }
  const Tensor* target = match.Constant(node.inputs[1]);
  if (target == nullptr) return false;
  const auto numbers = IntsOf(*target);
  return numbers.size() < 3 || numbers[2] != 0;
}

}  // namespace

// Attention of all heads, as exporters write it around a reshape that joins
// the heads again.
Result<int> FuseAttention(Graph* graph) {
  const Matcher match(graph);
  int count = 0;
  const std::vector<NodeId> order = graph->order();
  for (NodeId id : order) {
    Node& node = graph->node(id);
    if (As<Reshape>(node.op) == nullptr || !match.IsFloat32(node.outputs[0]) ||
        !JoinsHeads(match, *graph, node)) {
      continue;
    }
    const auto found = AttentionPattern(match, *graph).At(node.inputs[0]);
    if (!found) continue;
    const FusedAttention op{found->heads, static_cast<float>(found->scale)};
    const std::string name = node.name + ".attention";
    const ValueId attended =
        graph->Add(name, op, {found->q, found->k, found->v, found->mask});
    graph->node(id).inputs[0] = attended;
    ++count;
  }
  return count;
}

}  // namespace stint

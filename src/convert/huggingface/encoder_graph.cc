#include "convert/huggingface/encoder_graph.h"

#include <cmath>
#include <limits>

#include "model/graph/pooling.h"

namespace stint {
namespace {

// Hidden states are [batch, sequence, hidden] throughout.
class EncoderBuilder {
 public:
  EncoderBuilder(const EncoderConfig& config, const EncoderWeights& weights)
      : c_(config), w_(weights), graph_(std::make_unique<Graph>()) {}

  std::unique_ptr<Graph> Build() {
    AddInputs();
    ValueId x = Embed();
    const ValueId mask = AdditiveMask();
    for (size_t i = 0; i < w_.layers.size(); ++i) {
      scope_ = "layer." + std::to_string(i) + ".";
      x = Layer(w_.layers[i], x, mask);
    }
    scope_ = "head.";
    if (w_.head == EncoderHead::kClassifier) {
      x = Classifier(x);
    } else {
      graph_->value(x).name = "last_hidden_state";
    }
    graph_->MarkOutput(x);
    return std::move(graph_);
  }

 private:
  ValueId Ints(const std::string& name, std::vector<int64_t> values) {
    return graph_->AddConstant(scope_ + name, Tensor::Vector(values));
  }
  ValueId Scalar(const std::string& name, float value) {
    return graph_->AddConstant(scope_ + name, Tensor::Scalar(value));
  }
  ValueId Add(const std::string& name, Op op, std::vector<ValueId> inputs) {
    return graph_->Add(scope_ + name, std::move(op), std::move(inputs));
  }
  ValueId Arithmetic(const std::string& name, BinaryKind kind, ValueId a,
                     ValueId b) {
    return Add(name, Binary{kind}, {a, b});
  }

  void AddInputs() {
    const Shape dims = {graph_->Symbol("batch"), graph_->Symbol("sequence")};
    const ValueType type = ValueType::Of(DType::kInt64, dims);
    ids_ = graph_->AddInput("input_ids", type);
    attention_mask_ = graph_->AddInput("attention_mask", type);
    if (c_.type_vocab_size > 1) {
      type_ids_ = graph_->AddInput("token_type_ids", type);
    }
    shape_ = Add("shape", Shape_{}, {ids_});
  }

  // y = x * weight^T + bias.
  ValueId Linear(const std::string& name, const LinearWeights& w, ValueId x) {
    const ValueId weight =
        graph_->AddConstant(scope_ + name + ".weight", w.weight);
    const ValueId bias = graph_->AddConstant(scope_ + name + ".bias", w.bias);
    const ValueId turned =
        Add(name + ".transposed", Transpose{{1, 0}}, {weight});
    const ValueId product = Add(name + ".product", MatMul{}, {x, turned});
    return Arithmetic(name, BinaryKind::kAdd, product, bias);
  }

  ValueId Norm(const std::string& name, const NormWeights& w, ValueId x) {
    LayerNormalization norm;
    norm.epsilon = static_cast<float>(c_.layer_norm_eps);
    const ValueId scale =
        graph_->AddConstant(scope_ + name + ".scale", w.scale);
    const ValueId bias = graph_->AddConstant(scope_ + name + ".bias", w.bias);
    return Add(name, norm, {x, scale, bias});
  }

  // Rows of the position table for each token: [sequence, hidden], or
  // [batch, sequence, hidden] for RoBERTa, which skips padding.
  ValueId Positions() {
    const ValueId table =
        graph_->AddConstant("position_embeddings", w_.position_embeddings);
    if (c_.family != EncoderFamily::kRoberta) {
      const ValueId length =
          Add("length", Slice{}, {shape_, Ints("one", {1}), Ints("two", {2})});
      return Add("positions", Slice{}, {table, Ints("zero", {0}), length});
    }
    const ValueId pad =
        graph_->AddConstant("pad_id", Tensor::Scalar<int64_t>(c_.pad_id));
    const ValueId is_pad = Arithmetic("is_pad", BinaryKind::kEqual, ids_, pad);
    const ValueId is_token =
        Add("is_token", Cast{DType::kInt64},
            {Add("not_pad", Unary{UnaryKind::kNot}, {is_pad})});
    const ValueId axis =
        graph_->AddConstant("axis", Tensor::Scalar<int64_t>(1));
    const ValueId count = Add("token_count", Cumulative{}, {is_token, axis});
    const ValueId offset =
        Arithmetic("offset", BinaryKind::kMul, count, is_token);
    const ValueId first = graph_->AddConstant(
        "first", Tensor::Scalar<int64_t>(c_.first_position - 1));
    const ValueId index =
        Arithmetic("position_ids", BinaryKind::kAdd, offset, first);
    return Add("positions", Gather{0}, {table, index});
  }

  ValueId Embed() {
    const ValueId words =
        graph_->AddConstant("word_embeddings", w_.word_embeddings);
    ValueId x = Add("words", Gather{0}, {words, ids_});
    if (w_.type_embeddings.size() > 0) {
      const ValueId table =
          graph_->AddConstant("type_embeddings", w_.type_embeddings);
      const ValueId index =
          type_ids_.valid()
              ? type_ids_
              : graph_->AddConstant("type_zero", Tensor::Scalar<int64_t>(0));
      x = Arithmetic("typed", BinaryKind::kAdd, x,
                     Add("types", Gather{0}, {table, index}));
    }
    x = Arithmetic("placed", BinaryKind::kAdd, x, Positions());
    return Norm("embedding_norm", w_.embedding_norm, x);
  }

  // 0 on tokens, the least float on padding: [batch, 1, 1, sequence].
  ValueId AdditiveMask() {
    const ValueId mask = Add("mask", Cast{DType::kFloat32}, {attention_mask_});
    const ValueId wide =
        Add("mask_wide", Unsqueeze{}, {mask, Ints("mask_axes", {1, 2})});
    const ValueId hidden =
        Arithmetic("masked", BinaryKind::kSub, Scalar("mask_one", 1.0f), wide);
    return Arithmetic("mask_add", BinaryKind::kMul, hidden,
                      Scalar("least", std::numeric_limits<float>::lowest()));
  }

  // [batch, sequence, hidden] to [batch, heads, ...] in the order of `perm`.
  ValueId SplitHeads(const std::string& name, ValueId x,
                     std::vector<int64_t> perm) {
    const ValueId shape =
        Ints(name + ".heads", {0, 0, c_.heads, c_.hidden_size / c_.heads});
    const ValueId split = Add(name + ".split", Reshape{}, {x, shape});
    return Add(name + ".by_head", Transpose{std::move(perm)}, {split});
  }

  ValueId Attention(const EncoderLayerWeights& w, ValueId x, ValueId mask) {
    const ValueId q =
        SplitHeads("query", Linear("q", w.query, x), {0, 2, 1, 3});
    const ValueId k = SplitHeads("key", Linear("k", w.key, x), {0, 2, 3, 1});
    const ValueId v =
        SplitHeads("value", Linear("v", w.value, x), {0, 2, 1, 3});
    const double size = static_cast<double>(c_.hidden_size / c_.heads);
    const ValueId scores =
        Arithmetic("scaled", BinaryKind::kMul, Add("scores", MatMul{}, {q, k}),
                   Scalar("scale", static_cast<float>(1.0 / std::sqrt(size))));
    const ValueId weights =
        Add("probabilities", Softmax{-1},
            {Arithmetic("masked_scores", BinaryKind::kAdd, scores, mask)});
    const ValueId mixed = Add("mixed", MatMul{}, {weights, v});
    const ValueId joined = Add("joined", Transpose{{0, 2, 1, 3}}, {mixed});
    return Add("context", Reshape{},
               {joined, Ints("context_shape", {0, 0, c_.hidden_size})});
  }

  ValueId Activate(const std::string& name, ValueId x) {
    switch (c_.activation) {
      case EncoderActivation::kGelu:
        return Add(name, Gelu{}, {x});
      case EncoderActivation::kGeluTanh:
        return Add(name, Gelu{"tanh"}, {x});
      case EncoderActivation::kRelu:
        return Add(name, Unary{UnaryKind::kRelu}, {x});
    }
    return x;
  }

  ValueId Layer(const EncoderLayerWeights& w, ValueId x, ValueId mask) {
    const ValueId attended =
        Linear("attention_output", w.attention_output, Attention(w, x, mask));
    x = Norm("attention_norm", w.attention_norm,
             Arithmetic("attention_sum", BinaryKind::kAdd, attended, x));
    const ValueId inner =
        Activate("activation", Linear("intermediate", w.intermediate, x));
    const ValueId outer = Linear("output", w.output, inner);
    return Norm("output_norm", w.output_norm,
                Arithmetic("output_sum", BinaryKind::kAdd, outer, x));
  }

  ValueId FirstToken(ValueId states) {
    return Add("first_token", Gather{1},
               {states,
                graph_->AddConstant("head.first", Tensor::Scalar<int64_t>(0))});
  }

  ValueId Classifier(ValueId states) {
    ValueId x = Linear("hidden_layer", w_.head_hidden, FirstToken(states));
    const bool distil = c_.family == EncoderFamily::kDistilBert;
    x = Add("hidden_activation",
            Unary{distil ? UnaryKind::kRelu : UnaryKind::kTanh}, {x});
    scope_.clear();
    return Linear("logits", w_.head_output, x);
  }

  const EncoderConfig& c_;
  const EncoderWeights& w_;
  std::unique_ptr<Graph> graph_;
  std::string scope_;
  ValueId ids_, attention_mask_, type_ids_, shape_;
};

}  // namespace

Result<std::unique_ptr<Graph>> BuildEncoder(const EncoderConfig& config,
                                            const SentenceConfig& sentence,
                                            const EncoderWeights& weights) {
  auto graph = EncoderBuilder(config, weights).Build();
  STINT_RETURN_IF_ERROR(InferGraph(graph.get()));
  if (weights.head == EncoderHead::kNone &&
      sentence.pooling != Pooling::kNone) {
    STINT_RETURN_IF_ERROR(AddPooling(sentence.pooling, graph.get()));
    if (sentence.normalize) AddNormalization(graph.get());
    STINT_RETURN_IF_ERROR(InferGraph(graph.get()));
  }
  return graph;
}

}  // namespace stint

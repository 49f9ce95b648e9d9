#include "convert/huggingface/encoder_weights.h"

#include "core/tensor/element_access.h"

namespace stint {
namespace {

// Takes tensors out of the file and gathers everything that is wrong.
class WeightReader {
 public:
  WeightReader(const Safetensors& file, std::string prefix)
      : file_(file), prefix_(std::move(prefix)) {}

  bool Has(const std::string& name) const { return file_.Has(prefix_ + name); }

  Tensor Take(const std::string& name, const Shape& expected) {
    auto tensor = file_.Get(prefix_ + name);
    if (!tensor.ok()) {
      problems_.push_back("'" + prefix_ + name + "' is missing");
      return {};
    }
    if (tensor->shape() != expected) {
      problems_.push_back("'" + prefix_ + name + "' is " +
                          ToString(tensor->shape()) + ", expected " +
                          ToString(expected));
      return {};
    }
    return AsFloat32(name, *tensor);
  }
  LinearWeights TakeLinear(const std::string& name, int64_t out, int64_t in) {
    return {Take(name + ".weight", {out, in}), Take(name + ".bias", {out})};
  }
  NormWeights TakeNorm(const std::string& name, int64_t size) {
    // Checkpoints converted from TensorFlow say gamma and beta.
    const bool old = Has(name + ".gamma");
    return {Take(name + (old ? ".gamma" : ".weight"), {size}),
            Take(name + (old ? ".beta" : ".bias"), {size})};
  }

  Status status() const {
    if (problems_.empty()) return OkStatus();
    std::string text;
    for (const std::string& problem : problems_) {
      text += (text.empty() ? "" : "; ") + problem;
    }
    return Damaged(std::to_string(problems_.size()) +
                   " wrong weights: " + text);
  }

 private:
  Tensor AsFloat32(const std::string& name, const Tensor& tensor) {
    if (tensor.dtype() == DType::kFloat32) return tensor;
    if (!IsFloat(tensor.dtype())) {
      problems_.push_back("'" + prefix_ + name + "' is " +
                          std::string(DTypeName(tensor.dtype())) +
                          ", expected a float type");
      return {};
    }
    auto wide = Tensor::Allocate(DType::kFloat32, tensor.shape());
    if (!wide.ok()) {
      problems_.push_back("'" + prefix_ + name +
                          "': " + wide.status().message());
      return {};
    }
    LoadElements<float>(tensor, 0, tensor.size(), wide->data<float>());
    return *wide;
  }

  const Safetensors& file_;
  std::string prefix_;
  std::vector<std::string> problems_;
};

// What a family calls the parts of a layer.
struct LayerNames {
  const char* layer;  // followed by the index
  const char* query;
  const char* key;
  const char* value;
  const char* attention_output;
  const char* attention_norm;
  const char* intermediate;
  const char* output;
  const char* output_norm;
};

constexpr LayerNames kBertNames = {
    "encoder.layer.",          ".attention.self.query",
    ".attention.self.key",     ".attention.self.value",
    ".attention.output.dense", ".attention.output.LayerNorm",
    ".intermediate.dense",     ".output.dense",
    ".output.LayerNorm"};
constexpr LayerNames kDistilBertNames = {
    "transformer.layer.", ".attention.q_lin",   ".attention.k_lin",
    ".attention.v_lin",   ".attention.out_lin", ".sa_layer_norm",
    ".ffn.lin1",          ".ffn.lin2",          ".output_layer_norm"};

std::string_view FamilyPrefix(EncoderFamily family) {
  switch (family) {
    case EncoderFamily::kBert:
      return "bert.";
    case EncoderFamily::kDistilBert:
      return "distilbert.";
    case EncoderFamily::kRoberta:
      return "roberta.";
  }
  return "";
}

EncoderLayerWeights TakeLayer(const EncoderConfig& c, const LayerNames& names,
                              int64_t index, WeightReader* r) {
  const std::string base = names.layer + std::to_string(index);
  const int64_t h = c.hidden_size;
  EncoderLayerWeights w;
  w.query = r->TakeLinear(base + names.query, h, h);
  w.key = r->TakeLinear(base + names.key, h, h);
  w.value = r->TakeLinear(base + names.value, h, h);
  w.attention_output = r->TakeLinear(base + names.attention_output, h, h);
  w.attention_norm = r->TakeNorm(base + names.attention_norm, h);
  w.intermediate =
      r->TakeLinear(base + names.intermediate, c.intermediate_size, h);
  w.output = r->TakeLinear(base + names.output, h, c.intermediate_size);
  w.output_norm = r->TakeNorm(base + names.output_norm, h);
  return w;
}

// Rows of the classifier's last layer, 0 where there is none.
int64_t ClassesOf(const Safetensors& file, const std::string& name) {
  auto tensor = file.Get(name + ".weight");
  return tensor.ok() && tensor->rank() == 2 ? tensor->dim(0) : 0;
}

// The classifier's layers live outside of the encoder's prefix, the pooler of
// BERT inside.
Status TakeHead(const EncoderConfig& c, const Safetensors& file,
                WeightReader* encoder, EncoderWeights* w) {
  const bool roberta = c.family == EncoderFamily::kRoberta;
  const std::string output = roberta ? "classifier.out_proj" : "classifier";
  const int64_t classes = ClassesOf(file, output);
  if (classes == 0) return OkStatus();
  const int64_t h = c.hidden_size;
  WeightReader root(file, "");
  w->head = EncoderHead::kClassifier;
  switch (c.family) {
    case EncoderFamily::kBert:
      w->head_hidden = encoder->TakeLinear("pooler.dense", h, h);
      break;
    case EncoderFamily::kDistilBert:
      w->head_hidden = root.TakeLinear("pre_classifier", h, h);
      break;
    case EncoderFamily::kRoberta:
      w->head_hidden = root.TakeLinear("classifier.dense", h, h);
      break;
  }
  w->head_output = root.TakeLinear(output, classes, h);
  return root.status();
}

}  // namespace

Result<EncoderWeights> LoadEncoderWeights(const EncoderConfig& c,
                                          const Safetensors& file) {
  std::string prefix(FamilyPrefix(c.family));
  if (!file.Has(prefix + "embeddings.word_embeddings.weight")) prefix = "";
  WeightReader r(file, prefix);
  const int64_t h = c.hidden_size;
  EncoderWeights w;
  w.word_embeddings =
      r.Take("embeddings.word_embeddings.weight", {c.vocab_size, h});
  w.position_embeddings =
      r.Take("embeddings.position_embeddings.weight", {c.max_positions, h});
  if (c.type_vocab_size > 0) {
    w.type_embeddings = r.Take("embeddings.token_type_embeddings.weight",
                               {c.type_vocab_size, h});
  }
  w.embedding_norm = r.TakeNorm("embeddings.LayerNorm", h);
  const LayerNames& names =
      c.family == EncoderFamily::kDistilBert ? kDistilBertNames : kBertNames;
  for (int64_t i = 0; i < c.layers; ++i) {
    w.layers.push_back(TakeLayer(c, names, i, &r));
  }
  const Status head = TakeHead(c, file, &r, &w);
  STINT_RETURN_IF_ERROR(r.status());
  STINT_RETURN_IF_ERROR(head);
  return w;
}

}  // namespace stint

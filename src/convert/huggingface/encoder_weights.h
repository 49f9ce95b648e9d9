#pragma once
// The weights of a BERT-like encoder by role, whatever the family names them.

#include <string>
#include <vector>

#include "convert/huggingface/config.h"
#include "convert/huggingface/safetensors.h"

namespace stint {

// weight [out, in] and bias [out].
struct LinearWeights {
  Tensor weight;
  Tensor bias;
};
struct NormWeights {
  Tensor scale;
  Tensor bias;
};

struct EncoderLayerWeights {
  LinearWeights query, key, value, attention_output;
  NormWeights attention_norm;
  LinearWeights intermediate, output;
  NormWeights output_norm;
};

// The head that the weights hold.
enum class EncoderHead { kNone, kClassifier };

struct EncoderWeights {
  Tensor word_embeddings;      // [vocabulary, hidden]
  Tensor position_embeddings;  // [positions, hidden]
  Tensor type_embeddings;      // [types, hidden]; empty where there are none
  NormWeights embedding_norm;
  std::vector<EncoderLayerWeights> layers;
  EncoderHead head = EncoderHead::kNone;
  // Classifier: hidden layer (pooler, pre_classifier or classifier.dense) and
  // output layer [classes, hidden].
  LinearWeights head_hidden;
  LinearWeights head_output;
};

// As float32. Missing tensors and tensors of a wrong shape are listed in one
// error.
Result<EncoderWeights> LoadEncoderWeights(const EncoderConfig& config,
                                          const Safetensors& file);

}  // namespace stint

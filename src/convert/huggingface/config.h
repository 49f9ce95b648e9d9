#pragma once
// What config.json says about a text encoder of the BERT family, and what the
// files of sentence-transformers say about pooling its output.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stint/pooling.h"
#include "stint/status.h"
#include "weights/shards/sub_network.h"

namespace stint {

enum class EncoderFamily { kBert, kDistilBert, kRoberta };
enum class EncoderActivation { kGelu, kGeluTanh, kRelu };

struct EncoderConfig {
  EncoderFamily family = EncoderFamily::kBert;
  std::string architecture;  // "BertForSequenceClassification"; may be empty
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;  // divisible by `heads`
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t intermediate_size = 0;
  int64_t max_positions = 0;    // rows of the position table
  int64_t type_vocab_size = 0;  // 0 for models without type ids
  int64_t pad_id = 0;
  // Position of the first token: RoBERTa counts from pad_id + 1. A text may
  // have max_positions - first_position tokens.
  int64_t first_position = 0;
  double layer_norm_eps = 1e-12;
  EncoderActivation activation = EncoderActivation::kGelu;
  std::vector<std::string> labels;  // by id; empty when not stated
  // "regression", "single_label_classification", "multi_label_classification"
  // or empty when not stated.
  std::string problem_type;
  // What "elastic" says: parts that were trained to answer by themselves.
  std::vector<SubNetwork> sub_networks;
};

struct SentenceConfig {
  Pooling pooling = Pooling::kNone;
  bool normalize = false;  // to length 1, after pooling
  bool lowercase = false;  // the text, before it is tokenized
  int64_t max_length = 0;  // ids, special tokens included; 0: not stated
};

// From the content of config.json; `file` is for messages. Fields that are
// missing have the defaults of transformers. kUnsupported names the model type
// or the setting that stint cannot run.
Result<EncoderConfig> ReadEncoderConfig(std::string_view content,
                                        const std::string& file);
Result<EncoderConfig> LoadEncoderConfig(const std::string& folder);

// From modules.json and the files it leads to; without modules.json the result
// pools nothing.
Result<SentenceConfig> LoadSentenceConfig(const std::string& folder);

}  // namespace stint

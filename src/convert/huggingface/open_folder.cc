#include "convert/huggingface/open_folder.h"

#include <algorithm>

#include "convert/huggingface/encoder_graph.h"

namespace stint {
namespace {

OutputMeaning MeaningOf(const EncoderConfig& config,
                        const SentenceConfig& sentence,
                        const EncoderWeights& weights) {
  if (weights.head == EncoderHead::kClassifier) {
    return weights.head_output.weight.dim(0) == 1 ||
                   config.problem_type == "regression"
               ? OutputMeaning::kRegression
               : OutputMeaning::kClassLogits;
  }
  return sentence.pooling == Pooling::kNone ? OutputMeaning::kHiddenStates
                                            : OutputMeaning::kSentenceEmbedding;
}

// Most tokens that the position table and the tokenizer's files allow.
int64_t MaxLength(const EncoderConfig& config, const SentenceConfig& sentence) {
  const int64_t positions = config.max_positions - config.first_position;
  return sentence.max_length > 0 ? std::min(sentence.max_length, positions)
                                 : positions;
}

}  // namespace

Result<Package> OpenHuggingFaceFolder(const std::string& folder) {
  STINT_ASSIGN_OR_RETURN(const EncoderConfig config, LoadEncoderConfig(folder));
  STINT_ASSIGN_OR_RETURN(const SentenceConfig sentence,
                         LoadSentenceConfig(folder));
  STINT_ASSIGN_OR_RETURN(const Safetensors file,
                         Safetensors::OpenFolder(folder));
  auto weights = LoadEncoderWeights(config, file);
  if (!weights.ok()) return weights.status().Annotate(folder);
  Package package;
  STINT_ASSIGN_OR_RETURN(package.tokenizer_files, ReadTokenizerFiles(folder));
  auto tokenizer = MakeTokenizer(package.tokenizer_files);
  if (!tokenizer.ok()) return tokenizer.status().Annotate(folder);
  package.tokenizer = std::move(tokenizer).value();
  if (package.tokenizer->vocabulary_size() > config.vocab_size) {
    return Damaged(folder + ": the tokenizer has " +
                   std::to_string(package.tokenizer->vocabulary_size()) +
                   " tokens, config.json says " +
                   std::to_string(config.vocab_size));
  }
  auto graph = BuildEncoder(config, sentence, *weights);
  if (!graph.ok()) return graph.status().Annotate(folder);
  package.graph = std::move(graph).value();
  package.max_length = MaxLength(config, sentence);
  package.meaning = MeaningOf(config, sentence, *weights);
  package.labels = config.labels;
  package.sub_networks = config.sub_networks;
  return package;
}

}  // namespace stint

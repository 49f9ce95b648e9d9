#pragma once
// Text to token ids, as the Hugging Face tokenizer of the same files would
// give them.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/text/added_tokens.h"
#include "model/text/sequence_template.h"
#include "model/text/subword_model.h"
#include "stint/status.h"

namespace stint {

// Three vectors of one length.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;
  std::vector<int32_t> attention_mask;  // 1, or 0 on padding
};

struct EncodeOptions {
  // Most ids of the result, special tokens included; 0 for no limit. The longer
  // sequence is cut first, at its end. Special tokens always stay.
  int64_t max_length = 0;
  // The result is padded at its end to at least this many ids.
  int64_t pad_to = 0;
};

struct TokenizerParts {
  std::unique_ptr<const SubwordModel> model;
  std::vector<AddedToken> added_tokens;
  SequenceTemplate sequence_template;
  int32_t pad_id = 0;
};

// Immutable; may be used by any number of threads.
class Tokenizer {
 public:
  explicit Tokenizer(TokenizerParts parts);  // parts.model must not be null

  Encoding Encode(std::string_view text,
                  std::optional<std::string_view> pair = std::nullopt,
                  const EncodeOptions& options = {}) const;

  // The id of one token as the vocabulary writes it, added tokens included.
  std::optional<int32_t> TokenId(std::string_view token) const;
  // The largest id and one: what the embedding table must have rows for.
  int64_t vocabulary_size() const { return vocabulary_size_; }
  int32_t pad_id() const { return pad_id_; }
  // What its tables take.
  int64_t heap_bytes() const { return model_->heap_bytes(); }

 private:
  void AppendIds(std::string_view text, std::vector<int32_t>* ids) const;
  void AppendText(std::string_view text, std::vector<int32_t>* ids) const;

  std::unique_ptr<const SubwordModel> model_;
  std::vector<AddedToken> added_tokens_;
  AddedTokens raw_tokens_;
  AddedTokens normalized_tokens_;
  SequenceTemplate sequence_template_;
  int32_t pad_id_;
  int64_t vocabulary_size_;
};

// The content of a file: its own, or a part of something that `holder` keeps.
class TokenizerFile {
 public:
  TokenizerFile() = default;
  TokenizerFile(std::string content)  // NOLINT: a text is a file
      : own_(std::make_shared<const std::string>(std::move(content))),
        text_(*static_cast<const std::string*>(own_.get())) {}
  TokenizerFile(const char* content)  // NOLINT
      : TokenizerFile(std::string(content)) {}
  TokenizerFile(std::string_view text, std::shared_ptr<const void> holder)
      : own_(std::move(holder)), text_(text) {}

  std::string_view text() const { return text_; }

 private:
  std::shared_ptr<const void> own_;
  std::string_view text_;
};

// The files that define a tokenizer, by name: tokenizer.json, or else
// vocab.txt, or else vocab.json and merges.txt, the latter two with
// tokenizer_config.json if it is there.
using TokenizerFiles = std::map<std::string, TokenizerFile>;

// From a model's folder. kNotFound when it has none of them.
Result<TokenizerFiles> ReadTokenizerFiles(const std::string& folder);

// kDamaged or kUnsupported with the file and the object in question.
Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(
    const TokenizerFiles& files);

// Both in one; errors name the folder.
Result<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    const std::string& folder);

// The same from the content of files; `name` is for messages.
Result<std::shared_ptr<const Tokenizer>> ReadTokenizerJson(
    std::string_view content, const std::string& name = "tokenizer.json");
// `config` is the content of tokenizer_config.json, empty if there is none.
Result<std::shared_ptr<const Tokenizer>> ReadVocabText(std::string_view vocab,
                                                       std::string_view config);
Result<std::shared_ptr<const Tokenizer>> ReadVocabAndMerges(
    std::string_view vocab_json, std::string_view merges,
    std::string_view config);

}  // namespace stint

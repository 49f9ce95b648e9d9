// Reads Hugging Face's tokenizer.json. What it may hold and we cannot follow is
// refused by name.

#include <algorithm>

#include "model/text/byte_level_bpe.h"
#include "model/text/json_node.h"
#include "model/text/read_vocabulary.h"
#include "model/text/tokenizer.h"
#include "model/text/tokenizer_document.h"
#include "model/text/wordpiece.h"

namespace stint {
namespace {

Status UnsupportedAt(const JsonNode& node, std::string_view found,
                     std::string_view supported) {
  return Unsupported(node.where() + ": " + Quoted(found) +
                     " is not supported, expected " + std::string(supported));
}

// The "type" member of an optional stage; "" when the stage is missing.
Result<std::string> StageType(const JsonNode& root, const std::string& stage) {
  const auto node = root.Find(stage);
  if (!node) return std::string();
  STINT_ASSIGN_OR_RETURN(const JsonNode type, node->Get("type"));
  return type.AsString();
}

Result<BertNormalizerOptions> ReadNormalizer(const JsonNode& root) {
  STINT_ASSIGN_OR_RETURN(const std::string type, StageType(root, "normalizer"));
  BertNormalizerOptions options{false, false, false, false};
  if (type.empty()) return options;
  STINT_ASSIGN_OR_RETURN(const JsonNode node, root.Get("normalizer"));
  if (type != "BertNormalizer") {
    return UnsupportedAt(node, type, "BertNormalizer");
  }
  STINT_ASSIGN_OR_RETURN(options.clean_text, node.BoolOr("clean_text", true));
  STINT_ASSIGN_OR_RETURN(options.handle_chinese_chars,
                         node.BoolOr("handle_chinese_chars", true));
  STINT_ASSIGN_OR_RETURN(options.lowercase, node.BoolOr("lowercase", true));
  STINT_ASSIGN_OR_RETURN(options.strip_accents,
                         node.BoolOr("strip_accents", options.lowercase));
  return options;
}

Result<std::unique_ptr<const SubwordModel>> ReadWordPiece(
    TokenizerDocument* document, const JsonNode& root, const JsonNode& model) {
  WordPieceOptions options;
  STINT_ASSIGN_OR_RETURN(options.normalizer, ReadNormalizer(root));
  STINT_ASSIGN_OR_RETURN(const std::string split,
                         StageType(root, "pre_tokenizer"));
  if (split != "BertPreTokenizer") {
    return Unsupported(root.where() + " pre_tokenizer: " + Quoted(split) +
                       " with a WordPiece model is not supported, expected "
                       "BertPreTokenizer");
  }
  STINT_ASSIGN_OR_RETURN(options.unknown_token,
                         model.StringOr("unk_token", "[UNK]"));
  STINT_ASSIGN_OR_RETURN(options.continuing_prefix,
                         model.StringOr("continuing_subword_prefix", "##"));
  STINT_ASSIGN_OR_RETURN(options.max_chars_per_word,
                         model.IntOr("max_input_chars_per_word", 100));
  return MakeWordPiece(std::move(document->vocabulary), options);
}

// Refuses variants of BPE that change ids.
Status CheckBpeVariant(const JsonNode& model) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    STINT_ASSIGN_OR_RETURN(const std::string text, model.StringOr(key, ""));
    if (!text.empty()) {
      return Unsupported(model.where() + "." + key + ": " + Quoted(text) +
                         " is not supported, expected none");
    }
  }
  for (const char* key : {"fuse_unk", "byte_fallback", "ignore_merges"}) {
    STINT_ASSIGN_OR_RETURN(const bool on, model.BoolOr(key, false));
    if (on) {
      return Unsupported(model.where() + "." + key +
                         ": true is not supported, expected false");
    }
  }
  STINT_ASSIGN_OR_RETURN(const double dropout, model.DoubleOr("dropout", 0));
  if (dropout == 0) return OkStatus();
  return Unsupported(model.where() + ".dropout: " + std::to_string(dropout) +
                     " is not supported, expected none");
}

Result<ByteLevelBpeOptions> ReadBpeOptions(const JsonNode& root,
                                           const JsonNode& model) {
  if (const auto normalizer = root.Find("normalizer")) {
    STINT_ASSIGN_OR_RETURN(const std::string type,
                           StageType(root, "normalizer"));
    return UnsupportedAt(*normalizer, type, "none with a BPE model");
  }
  STINT_ASSIGN_OR_RETURN(const std::string split,
                         StageType(root, "pre_tokenizer"));
  if (split != "ByteLevel") {
    return Unsupported(root.where() + " pre_tokenizer: " + Quoted(split) +
                       " with a BPE model is not supported, expected "
                       "ByteLevel");
  }
  STINT_ASSIGN_OR_RETURN(const JsonNode node, root.Get("pre_tokenizer"));
  STINT_ASSIGN_OR_RETURN(const bool regex, node.BoolOr("use_regex", true));
  if (!regex) return UnsupportedAt(node, "use_regex false", "true");
  ByteLevelBpeOptions options;
  STINT_ASSIGN_OR_RETURN(options.add_prefix_space,
                         node.BoolOr("add_prefix_space", true));
  if (const auto unknown = model.Find("unk_token")) {
    STINT_ASSIGN_OR_RETURN(options.unknown_token, unknown->AsString());
  }
  return options;
}

Result<std::unique_ptr<const SubwordModel>> ReadBpe(
    const TokenizerDocument& document, const JsonNode& root,
    const JsonNode& model) {
  STINT_RETURN_IF_ERROR(CheckBpeVariant(model));
  STINT_ASSIGN_OR_RETURN(const ByteLevelBpeOptions options,
                         ReadBpeOptions(root, model));
  STINT_ASSIGN_OR_RETURN(const JsonNode merges, model.Get("merges"));
  STINT_RETURN_IF_ERROR(merges.ExpectArray());
  return MakeByteLevelBpe(document.vocabulary, document.merges, options);
}

// Takes the vocabulary from the document.
Result<std::unique_ptr<const SubwordModel>> ReadModel(
    TokenizerDocument* document, const JsonNode& root) {
  STINT_ASSIGN_OR_RETURN(const JsonNode model, root.Get("model"));
  STINT_RETURN_IF_ERROR(model.ExpectObject());
  // Early files do not name the type.
  const bool has_merges = model.Find("merges").has_value();
  STINT_ASSIGN_OR_RETURN(
      const std::string type,
      model.StringOr("type", has_merges ? "BPE" : "WordPiece"));
  if (type != "WordPiece" && type != "BPE") {
    return UnsupportedAt(model, type, "WordPiece or BPE");
  }
  STINT_ASSIGN_OR_RETURN(const JsonNode vocab, model.Get("vocab"));
  STINT_RETURN_IF_ERROR(vocab.ExpectObject());
  return type == "WordPiece" ? ReadWordPiece(document, root, model)
                             : ReadBpe(*document, root, model);
}

Result<std::vector<AddedToken>> ReadAddedTokens(const JsonNode& root,
                                                const SubwordModel& model) {
  std::vector<AddedToken> tokens;
  const auto list = root.Find("added_tokens");
  if (!list) return tokens;
  STINT_RETURN_IF_ERROR(list->ExpectArray());
  for (size_t i = 0; i < list->value().size(); ++i) {
    const JsonNode node = list->At(i);
    AddedToken token;
    STINT_ASSIGN_OR_RETURN(const JsonNode content, node.Get("content"));
    STINT_ASSIGN_OR_RETURN(token.content, content.AsString());
    STINT_ASSIGN_OR_RETURN(const JsonNode id, node.Get("id"));
    STINT_ASSIGN_OR_RETURN(token.id, ReadTokenId(id));
    if (const auto known = model.Find(token.content).value_or(token.id);
        known != token.id) {
      return id.Expected("the id " + std::to_string(known) +
                         " that the vocabulary has for " +
                         Quoted(token.content));
    }
    STINT_ASSIGN_OR_RETURN(token.single_word,
                           node.BoolOr("single_word", false));
    STINT_ASSIGN_OR_RETURN(token.strip_left, node.BoolOr("lstrip", false));
    STINT_ASSIGN_OR_RETURN(token.strip_right, node.BoolOr("rstrip", false));
    STINT_ASSIGN_OR_RETURN(token.normalized, node.BoolOr("normalized", false));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> ReadTokenizerJson(
    std::string_view content, const std::string& name) {
  STINT_ASSIGN_OR_RETURN(TokenizerDocument document,
                         ParseTokenizerDocument(content, name));
  const JsonNode root(document.settings, name);
  STINT_RETURN_IF_ERROR(root.ExpectObject());
  auto model = ReadModel(&document, root);
  if (!model.ok()) {
    const Status& status = model.status();
    return status.message().starts_with(name + ":") ? status
                                                    : status.Annotate(name);
  }
  TokenizerParts parts;
  parts.model = std::move(model).value();
  STINT_ASSIGN_OR_RETURN(parts.added_tokens,
                         ReadAddedTokens(root, *parts.model));
  STINT_ASSIGN_OR_RETURN(parts.sequence_template, ReadSequenceTemplate(root));
  STINT_ASSIGN_OR_RETURN(parts.pad_id, ReadPadId(root, *parts.model));
  return std::make_shared<const Tokenizer>(std::move(parts));
}

}  // namespace stint

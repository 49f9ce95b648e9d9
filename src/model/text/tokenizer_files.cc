// Tokenizers from the files of older models: vocab.txt, or vocab.json with
// merges.txt, each with what tokenizer_config.json says about them.

#include "core/platform/file.h"
#include "model/text/byte_level_bpe.h"
#include "model/text/read_vocabulary.h"
#include "model/text/tokenizer.h"
#include "model/text/wordpiece.h"

namespace stint {
namespace {

constexpr char kJsonName[] = "tokenizer.json";
constexpr char kVocabTextName[] = "vocab.txt";
constexpr char kVocabJsonName[] = "vocab.json";
constexpr char kMergesName[] = "merges.txt";
constexpr char kConfigName[] = "tokenizer_config.json";

// In the order of preference; the last file of a set need not be there.
const std::vector<const char*> kFileSets[] = {
    {kJsonName},
    {kVocabTextName, kConfigName},
    {kVocabJsonName, kMergesName, kConfigName}};

// The lines of a text without their line ends; the empty one after the last
// line end is left out.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

Result<nlohmann::json> ParseConfig(std::string_view config) {
  return ParseJson(config.empty() ? "{}" : config, kConfigName);
}

// A special token is a string or an object with its "content".
Result<std::string> SpecialToken(const JsonNode& config, const std::string& key,
                                 const char* fallback) {
  const auto node = config.Find(key);
  if (node && node->value().is_object()) {
    return node->StringOr("content", fallback);
  }
  return config.StringOr(key, fallback);
}

struct SpecialNames {
  const char* unk;
  const char* cls;
  const char* sep;
  const char* pad;
  const char* mask;
};
constexpr SpecialNames kBertNames{"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"};
constexpr SpecialNames kRobertaNames{"<unk>", "<s>", "</s>", "<pad>", "<mask>"};

struct SpecialIds {
  int32_t cls = 0;
  int32_t sep = 0;
  int32_t pad = 0;
};

// Looks the special tokens up in the model and appends them to `added`; the
// mask and the unknown token may be missing.
Result<SpecialIds> ReadSpecialTokens(const JsonNode& config,
                                     const SpecialNames& names,
                                     const SubwordModel& model,
                                     std::vector<AddedToken>* added) {
  SpecialIds ids;
  struct Row {
    const char* key;
    const char* name;
    int32_t* id;
  };
  const Row rows[] = {{"cls_token", names.cls, &ids.cls},
                      {"sep_token", names.sep, &ids.sep},
                      {"pad_token", names.pad, &ids.pad},
                      {"mask_token", names.mask, nullptr},
                      {"unk_token", names.unk, nullptr}};
  for (const Row& row : rows) {
    STINT_ASSIGN_OR_RETURN(const std::string token,
                           SpecialToken(config, row.key, row.name));
    const std::optional<int32_t> id = model.Find(token);
    if (!id && row.id != nullptr) {
      return Damaged("vocabulary: expected the token " + Quoted(token) + " (" +
                     row.key + "), found none");
    }
    if (!id) continue;
    if (row.id != nullptr) *row.id = *id;
    AddedToken entry{.content = token, .id = *id};
    // RoBERTa's mask stands for a word with the blank before it.
    entry.strip_left = token == kRobertaNames.mask;
    added->push_back(std::move(entry));
  }
  return ids;
}

Result<WordPieceOptions> ReadWordPieceOptions(const JsonNode& config) {
  WordPieceOptions options;
  BertNormalizerOptions& normalizer = options.normalizer;
  STINT_ASSIGN_OR_RETURN(normalizer.lowercase,
                         config.BoolOr("do_lower_case", true));
  STINT_ASSIGN_OR_RETURN(normalizer.strip_accents,
                         config.BoolOr("strip_accents", normalizer.lowercase));
  STINT_ASSIGN_OR_RETURN(normalizer.handle_chinese_chars,
                         config.BoolOr("tokenize_chinese_chars", true));
  STINT_ASSIGN_OR_RETURN(options.unknown_token,
                         SpecialToken(config, "unk_token", kBertNames.unk));
  return options;
}

// Lines "left right" after an optional "#version" line.
Result<MergeList> ParseMerges(std::string_view text) {
  MergeList merges;
  size_t number = 0;
  for (const std::string_view line : LinesOf(text)) {
    ++number;
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const size_t blank = line.find(' ');
    if (blank == 0 || blank == line.npos || blank + 1 == line.size()) {
      return Damaged("merges.txt: line " + std::to_string(number) +
                     ": expected two tokens, found " + Quoted(line));
    }
    merges.emplace_back(line.substr(0, blank), line.substr(blank + 1));
  }
  return merges;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> ReadVocabText(
    std::string_view vocab, std::string_view config) {
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document, ParseConfig(config));
  const JsonNode root(document, kConfigName);
  STINT_ASSIGN_OR_RETURN(const WordPieceOptions options,
                         ReadWordPieceOptions(root));
  TokenList tokens;
  for (const std::string_view line : LinesOf(vocab)) {
    tokens.Add(line, static_cast<int32_t>(tokens.size()));
  }
  TokenizerParts parts;
  STINT_ASSIGN_OR_RETURN(parts.model,
                         MakeWordPiece(std::move(tokens), options));
  STINT_ASSIGN_OR_RETURN(
      const SpecialIds ids,
      ReadSpecialTokens(root, kBertNames, *parts.model, &parts.added_tokens));
  parts.sequence_template = BertTemplate(ids.cls, ids.sep);
  parts.pad_id = ids.pad;
  return std::make_shared<const Tokenizer>(std::move(parts));
}

Result<std::shared_ptr<const Tokenizer>> ReadVocabAndMerges(
    std::string_view vocab_json, std::string_view merges,
    std::string_view config) {
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document, ParseConfig(config));
  const JsonNode root(document, kConfigName);
  STINT_ASSIGN_OR_RETURN(const nlohmann::json vocab,
                         ParseJson(vocab_json, "vocab.json"));
  STINT_ASSIGN_OR_RETURN(const TokenList tokens,
                         ReadTokenList(JsonNode(vocab, "vocab.json")));
  STINT_ASSIGN_OR_RETURN(const MergeList merge_list, ParseMerges(merges));
  ByteLevelBpeOptions options;
  STINT_ASSIGN_OR_RETURN(options.add_prefix_space,
                         root.BoolOr("add_prefix_space", false));
  TokenizerParts parts;
  STINT_ASSIGN_OR_RETURN(parts.model,
                         MakeByteLevelBpe(tokens, merge_list, options));
  STINT_ASSIGN_OR_RETURN(const SpecialIds ids,
                         ReadSpecialTokens(root, kRobertaNames, *parts.model,
                                           &parts.added_tokens));
  parts.sequence_template = RobertaTemplate(ids.cls, ids.sep);
  parts.pad_id = ids.pad;
  return std::make_shared<const Tokenizer>(std::move(parts));
}

Result<TokenizerFiles> ReadTokenizerFiles(const std::string& folder) {
  TokenizerFiles files;
  for (const auto& names : kFileSets) {
    if (!FileExists(JoinPath(folder, names[0]))) continue;
    for (const char* name : names) {
      const std::string path = JoinPath(folder, name);
      if (name == names.back() && !FileExists(path)) continue;
      STINT_ASSIGN_OR_RETURN(files[name], ReadFile(path));
    }
    return files;
  }
  return NotFound(folder +
                  ": expected tokenizer.json, vocab.txt or vocab.json with "
                  "merges.txt, found none of them");
}

Result<std::shared_ptr<const Tokenizer>> MakeTokenizer(
    const TokenizerFiles& files) {
  const auto content = [&](const char* name) -> std::string_view {
    const auto it = files.find(name);
    return it != files.end() ? it->second.text() : "";
  };
  if (files.contains(kJsonName)) return ReadTokenizerJson(content(kJsonName));
  if (files.contains(kVocabTextName)) {
    return ReadVocabText(content(kVocabTextName), content(kConfigName));
  }
  return ReadVocabAndMerges(content(kVocabJsonName), content(kMergesName),
                            content(kConfigName));
}

Result<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    const std::string& folder) {
  STINT_ASSIGN_OR_RETURN(const TokenizerFiles files,
                         ReadTokenizerFiles(folder));
  auto tokenizer = MakeTokenizer(files);
  return tokenizer.ok() ? tokenizer : tokenizer.status().Annotate(folder);
}

}  // namespace stint

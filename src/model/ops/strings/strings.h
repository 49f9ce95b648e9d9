#pragma once
// Ops on strings (UTF-8) and on sequences of tokens.

#include <string>
#include <string_view>
#include <vector>

#include "model/ops/fields.h"
#include "model/ops/infer_context.h"

namespace stint {

// Input [c] or [1, c]: without stop words, case changed ("NONE", "LOWER",
// "UPPER"); one empty string when nothing is left.
struct StringNormalizer {
  static constexpr std::string_view kName = "StringNormalizer";
  std::string case_change_action = "NONE";
  int64_t is_case_sensitive = 0;
  std::string locale;
  std::vector<std::string> stopwords;
  STINT_FIELDS(case_change_action, is_case_sensitive, locale, stopwords)
};

// Elementwise with broadcasting.
struct StringConcat {
  static constexpr std::string_view kName = "StringConcat";
  STINT_FIELDS()
};

// Outputs the parts (a new last axis, padded with empty strings) and their
// int64 counts. No delimiter: runs of white space. maxsplit < 0: no limit.
struct StringSplit {
  static constexpr std::string_view kName = "StringSplit";
  std::string delimiter;
  int64_t maxsplit = -1;
  STINT_FIELDS(delimiter, maxsplit)
};

// Counts n-grams of int32, int64 or string tokens, [c] or [n, c]. `pool_*`
// holds the n-grams, all of one length after the other; n-grams of length i + 1
// start at ngram_counts[i]. mode: "TF", "IDF", "TFIDF".
struct TfIdfVectorizer {
  static constexpr std::string_view kName = "TfIdfVectorizer";
  int64_t max_gram_length = 1;
  int64_t max_skip_count = 0;
  int64_t min_gram_length = 1;
  std::string mode = "TF";
  std::vector<int64_t> ngram_counts;
  std::vector<int64_t> ngram_indexes;
  std::vector<int64_t> pool_int64s;
  std::vector<std::string> pool_strings;
  std::vector<float> weights;
  STINT_FIELDS(max_gram_length, max_skip_count, min_gram_length, mode,
               ngram_counts, ngram_indexes, pool_int64s, pool_strings, weights)
};

Status Infer(const StringNormalizer& op, InferContext& ctx);
Status Infer(const StringConcat& op, InferContext& ctx);
Status Infer(const StringSplit& op, InferContext& ctx);
Status Infer(const TfIdfVectorizer& op, InferContext& ctx);

}  // namespace stint

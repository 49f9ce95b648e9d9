#include "model/text/tokenizer.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

using Ids = std::vector<int32_t>;
using TokenizerResult = Result<std::shared_ptr<const Tokenizer>>;

// Ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, un 5, ##aff 6, ##able 7,
// cafe 8, "," 9, a 10, b 11.
constexpr char kVocab[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\ncafe\n,\na\nb\n";

std::shared_ptr<const Tokenizer> TinyBert(std::string_view config = "") {
  return ReadVocabText(kVocab, config).value();
}

void ExpectError(const TokenizerResult& result, StatusCode code,
                 const std::string& message) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(StatusCodeName(result.status().code()), StatusCodeName(code));
  EXPECT_EQ(result.status().message(), message);
}

TEST(WordPieceTokenizer, TakesLongestPiecesFirst) {
  EXPECT_EQ(TinyBert()->Encode("unaffable").ids, (Ids{2, 5, 6, 7, 3}));
}

TEST(WordPieceTokenizer, MakesTheWholeWordUnknownWhenAPieceIsMissing) {
  EXPECT_EQ(TinyBert()->Encode("unaffx a").ids, (Ids{2, 1, 10, 3}));
}

TEST(WordPieceTokenizer, LowersAndStripsAccentsByDefault) {
  EXPECT_EQ(TinyBert()->Encode("CAF\xc3\x89, A").ids, (Ids{2, 8, 9, 10, 3}));
}

TEST(WordPieceTokenizer, KeepsCaseWhenTheConfigSaysSo) {
  const auto tokenizer = TinyBert(R"({"do_lower_case": false})");
  EXPECT_EQ(tokenizer->Encode("A a").ids, (Ids{2, 1, 10, 3}));
}

TEST(WordPieceTokenizer, FindsSpecialTokensInTheText) {
  EXPECT_EQ(TinyBert()->Encode("a[MASK]b [mask]").ids,
            (Ids{2, 10, 4, 11, 1, 1, 1, 3}));
}

TEST(WordPieceTokenizer, LeavesInvalidUtf8OutAsReplacementCharacters) {
  EXPECT_EQ(TinyBert()->Encode("a\xff\xc3 b").ids, (Ids{2, 10, 11, 3}));
}

TEST(Tokenizer, GivesThePairItsOwnTypeAndPadsWithMaskZero) {
  const Encoding encoding = TinyBert()->Encode("a", "b", {.pad_to = 7});
  EXPECT_EQ(encoding.ids, (Ids{2, 10, 3, 11, 3, 0, 0}));
  EXPECT_EQ(encoding.type_ids, (Ids{0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(encoding.attention_mask, (Ids{1, 1, 1, 1, 1, 0, 0}));
}

TEST(Tokenizer, CutsTheLongerSequenceFirst) {
  const Encoding encoding =
      TinyBert()->Encode("a a a a", "b b", {.max_length = 7});
  EXPECT_EQ(encoding.ids, (Ids{2, 10, 10, 3, 11, 11, 3}));
}

TEST(Tokenizer, KeepsSpecialTokensWhenThereIsRoomForNothing) {
  EXPECT_EQ(TinyBert()->Encode("a", {}, {.max_length = 1}).ids, (Ids{2, 3}));
}

TEST(Tokenizer, KnowsItsTokensAndSize) {
  EXPECT_EQ(TinyBert()->TokenId("##able"), 7);
  EXPECT_EQ(TinyBert()->TokenId("able"), std::nullopt);
  EXPECT_EQ(TinyBert()->vocabulary_size(), 12);
}

constexpr char kBpeVocab[] =
    R"({"<s>":0,"<pad>":1,"</s>":2,"<mask>":3,"a":4,"b":5,"Ġ":6,"ab":7,
        "Ġab":8,"aab":9})";
constexpr char kMerges[] = "#version: 0.2\na b\nĠ ab\na ab\n";

TEST(BpeTokenizer, MergesByRankAndKeepsTheBlankWithItsWord) {
  const auto tokenizer = ReadVocabAndMerges(kBpeVocab, kMerges, "").value();
  EXPECT_EQ(tokenizer->Encode("ab ab aab").ids, (Ids{0, 7, 8, 6, 9, 2}));
}

TEST(BpeTokenizer, AddsThePrefixSpace) {
  const auto tokenizer =
      ReadVocabAndMerges(kBpeVocab, kMerges, R"({"add_prefix_space":true})")
          .value();
  EXPECT_EQ(tokenizer->Encode("ab").ids, (Ids{0, 8, 2}));
  EXPECT_EQ(tokenizer->Encode("").ids, (Ids{0, 2}));
}

TEST(BpeTokenizer, SeparatesPairsTwiceAndStripsBeforeTheMask) {
  const auto tokenizer = ReadVocabAndMerges(kBpeVocab, kMerges, "").value();
  const Encoding encoding = tokenizer->Encode("a  <mask>", "b");
  EXPECT_EQ(encoding.ids, (Ids{0, 4, 3, 2, 2, 5, 2}));
  EXPECT_EQ(encoding.type_ids, Ids(7, 0));
}

TEST(BpeTokenizer, MergesLongWordsInReasonableTime) {
  const auto tokenizer = ReadVocabAndMerges(kBpeVocab, kMerges, "").value();
  EXPECT_EQ(tokenizer->Encode(std::string(200000, 'a')).ids.size(), 200002u);
}

TEST(BpeTokenizer, ReportsAMergeOfAnUnknownToken) {
  ExpectError(ReadVocabAndMerges(kBpeVocab, "a c\n", ""), StatusCode::kDamaged,
              "merges[0]: expected token 'c' in the vocabulary, found none");
  ExpectError(ReadVocabAndMerges(kBpeVocab, "ab\n", ""), StatusCode::kDamaged,
              "merges.txt: line 1: expected two tokens, found 'ab'");
}

std::string Json(const std::string& rest) {
  return R"({"pre_tokenizer":{"type":"BertPreTokenizer"},)" + rest + "}";
}
constexpr char kModel[] =
    R"("model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"b":2}})";

TEST(TokenizerJson, ReadsTheTemplate) {
  const auto tokenizer =
      ReadTokenizerJson(Json(std::string(kModel) +
                             R"(,"post_processor":{"type":"TemplateProcessing",
          "single":[{"Sequence":{"id":"A","type_id":0}},
                    {"SpecialToken":{"id":"X","type_id":5}}],
          "pair":[{"Sequence":{"id":"B","type_id":1}},
                  {"Sequence":{"id":"A","type_id":0}}],
          "special_tokens":{"X":{"id":"X","ids":[7,8],"tokens":["X"]}}})"));
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  EXPECT_EQ((*tokenizer)->Encode("a").ids, (Ids{1, 7, 8}));
  EXPECT_EQ((*tokenizer)->Encode("a").type_ids, (Ids{0, 5, 5}));
  EXPECT_EQ((*tokenizer)->Encode("a", "b").ids, (Ids{2, 1}));
}

TEST(TokenizerJson, NamesWhatItDoesNotSupport) {
  ExpectError(ReadTokenizerJson(R"({"model":{"type":"Unigram"}})"),
              StatusCode::kUnsupported,
              "tokenizer.json: model: 'Unigram' is not supported, expected "
              "WordPiece or BPE");
  ExpectError(ReadTokenizerJson(Json(std::string(kModel) +
                                     R"(,"normalizer":{"type":"NFKC"})")),
              StatusCode::kUnsupported,
              "tokenizer.json: normalizer: 'NFKC' is not supported, expected "
              "BertNormalizer");
  ExpectError(
      ReadTokenizerJson(
          Json(R"("model":{"type":"BPE","byte_fallback":true,"vocab":{}})")),
      StatusCode::kUnsupported,
      "tokenizer.json: model.byte_fallback: true is not supported, expected "
      "false");
}

TEST(TokenizerJson, NamesTheObjectAndBothSides) {
  ExpectError(ReadTokenizerJson("{\"model\":"), StatusCode::kDamaged,
              "tokenizer.json: expected JSON, found something else at byte 10 "
              "of 9");
  ExpectError(ReadTokenizerJson("[]"), StatusCode::kDamaged,
              "tokenizer.json: expected an object, found array of 0");
  ExpectError(ReadTokenizerJson(Json(R"("model":{"vocab":[1]})")),
              StatusCode::kDamaged,
              "tokenizer.json: model.vocab: expected an object, found array "
              "of 1");
  ExpectError(ReadTokenizerJson(Json(R"("model":{"vocab":{"a":"b"}})")),
              StatusCode::kDamaged,
              "tokenizer.json: model.vocab: token 'a': expected an id from 0 "
              "to 2^31 - 2, found string");
  ExpectError(ReadTokenizerJson(Json(R"("model":{"vocab":{"a":1}})")),
              StatusCode::kDamaged,
              "tokenizer.json: vocabulary: expected the unknown token "
              "'[UNK]', found none among 1 tokens");
  ExpectError(
      ReadTokenizerJson(Json(std::string(kModel) +
                             R"(,"added_tokens":[{"content":"a","id":5}])")),
      StatusCode::kDamaged,
      "tokenizer.json: added_tokens[0].id: expected the id 1 that the "
      "vocabulary has for 'a', found 5");
}

TEST(TokenizerJson, NamesTheMergeThatIsNone) {
  const auto bpe = [](const std::string& merges) {
    return ReadTokenizerJson(
        R"({"pre_tokenizer":{"type":"ByteLevel"},"model":{"type":"BPE",)"
        R"("vocab":{"a":0,"b":1,"ab":2},"merges":)" +
        merges + "}}");
  };
  EXPECT_EQ(bpe(R"(["a b"])").value()->Encode("ab").ids, (Ids{2}));
  EXPECT_EQ(bpe(R"([["a","b"]])").value()->Encode("ab").ids, (Ids{2}));
  ExpectError(bpe(R"(["a b", ["a"]])"), StatusCode::kDamaged,
              "tokenizer.json: model.merges[1]: expected two tokens, found "
              "array");
  ExpectError(bpe("{}"), StatusCode::kDamaged,
              "tokenizer.json: model.merges: expected an array, found object "
              "of 0");
}

TEST(LoadTokenizer, NamesTheFolderWithoutFiles) {
  ExpectError(LoadTokenizer("/nowhere"), StatusCode::kNotFound,
              "/nowhere: expected tokenizer.json, vocab.txt or vocab.json with "
              "merges.txt, found none of them");
}

}  // namespace
}  // namespace stint

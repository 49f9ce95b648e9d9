#include "model/text/tokenizer_document.h"

#include <gtest/gtest.h>

#include "model/text/plain_elements.h"

namespace stint {
namespace {

// Tokens and ids, then merges.
std::string Elements(const TokenizerDocument& document) {
  std::string all;
  for (const auto& [text, id] : document.vocabulary) {
    all += std::string(text) + "=" + std::to_string(id) + ";";
  }
  for (const auto& [left, right] : document.merges) {
    all += std::string(left) + "+" + std::string(right) + ";";
  }
  return all;
}

struct Taken {
  bool plain = false;
  std::string elements;
  std::string rest;
};

Taken Take(std::string_view content) {
  TokenizerDocument document;
  document.text = std::make_unique<char[]>(content.size() + 1);
  Taken taken;
  taken.plain = TakePlainElements(content, &document, &taken.rest);
  taken.elements = Elements(document);
  return taken;
}

TEST(PlainElements, AreTakenOutOfTheText) {
  const Taken taken = Take(
      R"({"a": {"vocab": {"x": 1}}, "model": {"vocab" : {"a": 0, "##b":12 ,
         "\"\u00e9\\": 3, "é" : 4}, "merges": ["a b", ["c", "d e"] ],
         "type": "{["}, "vocab": {"y": 1}})");
  EXPECT_TRUE(taken.plain);
  EXPECT_EQ(taken.elements, "a=0;##b=12;\"é\\=3;é=4;a+b;c+d e;");
  EXPECT_EQ(taken.rest,
            R"({"a": {"vocab": {"x": 1}}, "model": {"vocab" : {}, "merges": [],
         "type": "{["}, "vocab": {"y": 1}})");
}

TEST(PlainElements, MayBeNone) {
  const Taken taken = Take(R"({"model":{"vocab":{},"merges":[ ]}})");
  EXPECT_TRUE(taken.plain);
  EXPECT_EQ(taken.elements, "");
  EXPECT_TRUE(Take("").plain);
}

TEST(PlainElements, LeaveTheUnusualToAParser) {
  for (const char* vocab :
       {R"({"a": -1})", R"({"a": 1.0})", R"({"a": 01})", R"({"a": 2147483647})",
        R"({"a": 1,})", R"({"a" 1})", R"({"a": "b"})", R"({"a": 1e2})",
        R"({"\ud83d\ude00": 1})", R"({"\x": 1})", R"({"\u12": 1})",
        "{\"a\n\": 1}", "{\"\xff\": 1}", R"({"a": )", R"({"a": 1] })",
        R"({"a)"}) {
    const Taken taken =
        Take(std::string(R"({"model":{"vocab":)") + vocab + "}}");
    EXPECT_FALSE(taken.plain) << vocab;
    EXPECT_EQ(taken.elements, "") << vocab;
  }
  EXPECT_FALSE(Take(R"({"model":{"merges":["ab"]}})").plain);
  EXPECT_FALSE(Take(R"({"model":{"merges":[["a"]]}})").plain);
  EXPECT_FALSE(Take(R"({"model":{"vocab":{"a":1},"vocab":{"b":2}}})").plain);
}

TEST(TokenizerDocument, IsTheSameBothWays) {
  // A pair of surrogates is left to the parser.
  const std::string begin = R"({"version": 1, "model": {"type": "BPE", "x": [)";
  const std::string end =
      R"(], "vocab": {"a": 0, "b\n": 7}, "merges": ["a b\n", "b a"]}})";
  const auto quick = ParseTokenizerDocument(begin + end, "f");
  const auto general = ParseTokenizerDocument(
      begin + R"({"vocab": 3}, "\ud83d\ude00")" + end, "f");
  ASSERT_TRUE(quick.ok() && general.ok());
  EXPECT_EQ(Elements(*quick), "a=0;b\n=7;a+b\n;b+a;");
  EXPECT_EQ(Elements(*general), Elements(*quick));
  EXPECT_EQ(quick->settings.dump(),
            R"({"model":{"merges":[],"type":"BPE","vocab":{},"x":[]},)"
            R"("version":1})");
}

TEST(TokenizerDocument, ErrorsNameTheFileAndTheToken) {
  const auto wrong =
      ParseTokenizerDocument(R"({"model":{"vocab":{"a":-1}}})", "t.json");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().message(),
            "t.json: model.vocab: token 'a': expected an id from 0 to 2^31 - "
            "2, found number");
  EXPECT_FALSE(
      ParseTokenizerDocument(R"({"model":{"vocab":{"a":1})", "t").ok());
}

}  // namespace
}  // namespace stint

#include "model/text/vocabulary.h"

#include <gtest/gtest.h>

namespace stint {
namespace {

TEST(TokenList, KeepsTextsOfAnyLength) {
  TokenList tokens;
  const std::vector<size_t> lengths = {0,   1,   5,     127,    128, 129,
                                       300, 999, 20000, 300000, 3};
  for (size_t i = 0; i < lengths.size(); ++i) {
    tokens.Add(std::string(lengths[i], static_cast<char>('a' + i)),
               static_cast<int32_t>(i));
  }
  ASSERT_EQ(tokens.size(), lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_EQ(tokens.text(i),
              std::string(lengths[i], static_cast<char>('a' + i)));
    EXPECT_EQ(tokens.id(i), static_cast<int32_t>(i));
  }
}

TEST(TokenList, KeepsIdsThatDoNotCountUp) {
  TokenList tokens;
  tokens.Add("a", 0);
  tokens.Add("b", 1);
  tokens.Add("c", 7);
  tokens.Add("d", 3);
  std::vector<std::pair<std::string, int32_t>> found;
  for (const auto& [text, id] : tokens) found.emplace_back(text, id);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, int32_t>>{
                       {"a", 0}, {"b", 1}, {"c", 7}, {"d", 3}}));
}

TEST(Vocabulary, FindsEveryEntryAndNoOther) {
  // More entries than 16 bits can number.
  constexpr int kCount = 70000;
  Vocabulary vocabulary(kCount);
  for (int i = 0; i < kCount; ++i) {
    ASSERT_TRUE(vocabulary.Add("w" + std::to_string(i), kCount - i));
  }
  for (int i = 0; i < kCount; ++i) {
    const std::string text = "w" + std::to_string(i);
    const int32_t index = vocabulary.Find(text);
    ASSERT_EQ(index, i);
    ASSERT_EQ(vocabulary.id(index), kCount - i);
    ASSERT_EQ(vocabulary.text(index), text);
    ASSERT_EQ(vocabulary.Find("x" + std::to_string(i)), Vocabulary::kNone);
  }
}

TEST(Vocabulary, AddsATextOnce) {
  Vocabulary vocabulary(2);
  EXPECT_TRUE(vocabulary.Add("word", 1));
  EXPECT_FALSE(vocabulary.Add("word", 2));
  EXPECT_EQ(vocabulary.size(), 1u);
}

TEST(Vocabulary, RefusesAListWithATokenTwice) {
  TokenList tokens;
  for (const char* text : {"a", "b", "a"}) tokens.Add(text, 0);
  const auto vocabulary = Vocabulary::Of(std::move(tokens));
  ASSERT_FALSE(vocabulary.ok());
  EXPECT_EQ(vocabulary.status().code(), StatusCode::kDamaged);
  EXPECT_NE(vocabulary.status().message().find("'a'"), std::string::npos)
      << vocabulary.status().message();
}

TEST(Vocabulary, FindsAnEntryByItsPrefixAndTheRest) {
  Vocabulary vocabulary(3);
  vocabulary.Add("##ing", 0);
  vocabulary.Add("ing", 1);
  uint64_t hash = Vocabulary::HashOf("##");
  for (const char c : std::string_view("ing")) {
    hash = Vocabulary::Extend(hash, c);
  }
  EXPECT_EQ(vocabulary.Find("ing", hash, "##"), 0);
  EXPECT_EQ(vocabulary.Find("ing"), 1);
  EXPECT_EQ(vocabulary.Find("##ing"), 0);
}

TEST(Vocabulary, EmptyOneFindsNothing) {
  EXPECT_EQ(Vocabulary(0).Find("a"), Vocabulary::kNone);
}

}  // namespace
}  // namespace stint

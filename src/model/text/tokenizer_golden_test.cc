// Our ids against those of Hugging Face: the fixtures of tests/data, and all
// rows of five GLUE development sets where STINT_TEST_DATA has them.

#include <gtest/gtest.h>

#include <cstdio>

#include "core/platform/file.h"
#include "model/text/json_node.h"
#include "model/text/tokenizer.h"

namespace stint {
namespace {

std::string FixturePath(const std::string& name) {
  return std::string(STINT_TEST_FIXTURES "/../data/") + name;
}

class Fixture : public testing::TestWithParam<const char*> {};

TEST_P(Fixture, GivesTheIdsOfHuggingFace) {
  const std::string name = GetParam();
  const auto content = ReadFile(FixturePath(name + ".tokenizer.json"));
  ASSERT_TRUE(content.ok()) << content.status().message();
  const auto tokenizer = ReadTokenizerJson(*content, name);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  const auto expected = ReadFile(FixturePath(name + ".expected.json"));
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  const auto rows = ParseJson(*expected, name);
  ASSERT_TRUE(rows.ok()) << rows.status().message();
  ASSERT_GT(rows->size(), 40u);
  for (const nlohmann::json& row : *rows) {
    SCOPED_TRACE(row.dump());
    const std::string text = row["text"];
    std::optional<std::string> pair;
    if (!row["pair"].is_null()) pair = row["pair"].get<std::string>();
    const EncodeOptions options{row["max_length"], row["pad_to"]};
    const Encoding encoding = (*tokenizer)->Encode(text, pair, options);
    EXPECT_EQ(encoding.ids, row["ids"].get<std::vector<int32_t>>());
    if (!row.contains("mask")) continue;
    EXPECT_EQ(encoding.type_ids, row["type_ids"].get<std::vector<int32_t>>());
    EXPECT_EQ(encoding.attention_mask, row["mask"].get<std::vector<int32_t>>());
  }
}

INSTANTIATE_TEST_SUITE_P(Tokenizer, Fixture,
                         testing::Values("wordpiece", "wordpiece_cased", "bpe",
                                         "bpe_prefix"));

using Columns = std::vector<std::string>;

// The rows of a gzip-compressed file of tab-separated columns.
std::vector<Columns> ReadRows(const std::string& path) {
  std::string text;
  FILE* pipe = popen(("gzip -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) return {};
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    text.append(buffer, n);
  }
  pclose(pipe);
  std::vector<Columns> rows(1, Columns(1));
  for (const char c : text) {
    if (c == '\n') {
      rows.emplace_back(1);
    } else if (c == '\t') {
      rows.back().emplace_back();
    } else {
      rows.back().back() += c;
    }
  }
  if (rows.back() == Columns{""}) rows.pop_back();
  return rows;
}

std::string Join(const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) {
    if (!text.empty()) text += ' ';
    text += std::to_string(id);
  }
  return text;
}

struct GlueCase {
  const char* golden;
  const char* texts;
  size_t header_rows;
  size_t first_column;
  size_t second_column;  // 0: none
  bool as_pair;          // otherwise two sequences
  size_t rows;
};

class Glue : public testing::TestWithParam<GlueCase> {};

TEST_P(Glue, GivesTheGoldenIdsOfEveryRow) {
  const GlueCase& param = GetParam();
  const std::string data = STINT_TEST_DATA;
  const std::string vocabulary = data + "/bert-base-uncased-vocab";
  if (!FileExists(vocabulary + "/vocab.txt")) {
    GTEST_SKIP() << "no " << vocabulary << "/vocab.txt (STINT_TEST_DATA)";
  }
  const auto tokenizer = LoadTokenizer(vocabulary);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  const auto golden = ReadRows(vocabulary + "/golden-ids/" + param.golden);
  auto texts = ReadRows(data + "/glue/" + param.texts);
  texts.erase(texts.begin(), texts.begin() + param.header_rows);
  ASSERT_EQ(golden.size(), param.rows);
  ASSERT_EQ(texts.size(), param.rows);
  for (size_t i = 0; i < golden.size(); ++i) {
    const std::string& first = texts[i][param.first_column];
    const std::string& second = texts[i][param.second_column];
    if (param.as_pair) {
      EXPECT_EQ(Join((*tokenizer)->Encode(first, second).ids), golden[i][1]);
      continue;
    }
    EXPECT_EQ(Join((*tokenizer)->Encode(first).ids), golden[i][1]);
    if (param.second_column == 0) continue;
    EXPECT_EQ(Join((*tokenizer)->Encode(second).ids), golden[i][2]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tokenizer, Glue,
    testing::Values(GlueCase{"sst2_dev.ids.tsv.gz", "SST-2/dev.tsv.gz", 1, 0, 0,
                             false, 872},
                    GlueCase{"cola_dev.ids.tsv.gz", "CoLA/dev.tsv.gz", 0, 3, 0,
                             false, 1043},
                    GlueCase{"stsb_dev.ids.tsv.gz", "STS-B/dev.tsv.gz", 1, 7, 8,
                             false, 1500},
                    GlueCase{"rte_dev.pair_ids.tsv.gz", "RTE/dev.tsv.gz", 1, 1,
                             2, true, 277},
                    GlueCase{"mrpc_dev.pair_ids.tsv.gz", "MRPC/dev.tsv.gz", 1,
                             3, 4, true, 408}));

}  // namespace
}  // namespace stint

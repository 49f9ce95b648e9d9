#include "convert/data/glue.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

Result<std::vector<TextExample>> RowsOf(GlueReader reader) {
  std::vector<TextExample> rows;
  while (true) {
    STINT_ASSIGN_OR_RETURN(auto row, reader.Next());
    if (!row.has_value()) return rows;
    rows.push_back(*std::move(row));
  }
}

GlueReader ReaderOf(GlueTask task, std::string_view content) {
  return GlueReader(task, LineReader(std::make_unique<MemoryStream>(content)));
}

Result<std::vector<TextExample>> ParseGlue(GlueTask task,
                                           std::string_view content) {
  return RowsOf(ReaderOf(task, content));
}

Result<std::vector<TextExample>> ReadGlue(GlueTask task,
                                          const std::string& path) {
  STINT_ASSIGN_OR_RETURN(GlueReader reader, GlueReader::Open(task, path));
  return RowsOf(std::move(reader));
}

TEST(Glue, ReadsSentencesWithLabels) {
  const auto rows =
      ParseGlue(GlueTask::kSst2, "sentence\tlabel\na \"b\t1\nc 'd'\t0\n")
          .value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].text, "a \"b");
  EXPECT_EQ(rows[0].label, 1);
  EXPECT_EQ(rows[1].text, "c 'd'");
  EXPECT_EQ(rows[1].label, 0);
}

TEST(Glue, ReadsEntailmentPairs) {
  for (const GlueTask task : {GlueTask::kRte, GlueTask::kQnli}) {
    const auto rows = ParseGlue(task,
                                "index\tx\ty\tlabel\n0\tp\tq\tentailment\n"
                                "1\tr\ts\tnot_entailment\n")
                          .value();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].label, 0);
    EXPECT_EQ(rows[1].label, 1);
    EXPECT_EQ(rows[1].text, "r");
    EXPECT_EQ(rows[1].pair, "s");
  }
}

TEST(Glue, SkipsTheByteOrderMarkOfMrpc) {
  const auto rows = ParseGlue(GlueTask::kMrpc,
                              "\xef\xbb\xbfQuality\t#1 ID\t#2 ID\t#1 String"
                              "\t#2 String\r\n1\t7\t8\tone\ttwo\r\n")
                        .value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text, "one");
  EXPECT_EQ(rows[0].pair, "two");
  EXPECT_EQ(rows[0].label, 1);
}

TEST(Glue, ReadsColaWithoutHeaderOrLastNewline) {
  const auto rows =
      ParseGlue(GlueTask::kCola, "gj\t1\t\tFirst.\ngj\t0\t*\tSecond").value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].text, "Second");
  EXPECT_EQ(rows[1].label, 0);
}

TEST(Glue, ReadsScores) {
  const auto rows = ParseGlue(GlueTask::kStsb,
                              "index\tgenre\tfilename\tyear\told_index\t"
                              "source1\tsource2\tsentence1\tsentence2\tscore\n"
                              "0\tg\tf\ty\to\ts\tt\tone\ttwo\t4.750\n")
                        .value();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text, "one");
  EXPECT_EQ(rows[0].pair, "two");
  EXPECT_EQ(rows[0].score, 4.75);
}

TEST(Glue, NamesLineExpectedAndFound) {
  EXPECT_EQ(ParseGlue(GlueTask::kSst2, "sentence\tlabel\na\t1\nb\n")
                .status()
                .message(),
            "line 3: expected 2 columns, found 1");
  EXPECT_EQ(ParseGlue(GlueTask::kSst2, "sentence\tlabel\na\tgood\n")
                .status()
                .message(),
            "line 2: expected label 0 or 1, found 'good'");
  EXPECT_EQ(
      ParseGlue(GlueTask::kCola, "gj\t1\t\ta\ngj\t2\t\tb\n").status().message(),
      "line 2: expected label 0 or 1, found '2'");
}

TEST(Glue, RefusesUnlabeledTestFilesByTheirHeader) {
  const Status status =
      ParseGlue(GlueTask::kSst2, "index\tsentence\n0\ta\n").status();
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_EQ(status.message(),
            "line 1: expected header of a labeled sst2 file: 2 columns with "
            "'label' in column 2, found 'index\tsentence'");
}

TEST(Glue, RefusesFilesWithoutRows) {
  EXPECT_FALSE(ParseGlue(GlueTask::kSst2, "").ok());
  EXPECT_FALSE(ParseGlue(GlueTask::kSst2, "sentence\tlabel\n").ok());
  EXPECT_FALSE(ParseGlue(GlueTask::kCola, "").ok());
}

TEST(Glue, ADamagedRowIsFoundWhenTheReaderComesThere) {
  GlueReader reader = ReaderOf(GlueTask::kSst2, "sentence\tlabel\na\t1\nb\n");
  ASSERT_TRUE(reader.Next().ok());
  EXPECT_EQ(reader.Next().status().message(),
            "line 3: expected 2 columns, found 1");
}

TEST(Glue, CountsNoFurtherThanAsked) {
  const std::string path = JoinPath(testing::TempDir(), "stint_count.tsv");
  ASSERT_TRUE(
      WriteFileAtomically(path, "sentence\tlabel\na\t1\nb\t0\nc\n").ok());
  EXPECT_EQ(CountGlueRows(GlueTask::kSst2, path, 2).value(), 2);
  EXPECT_EQ(CountGlueRows(GlueTask::kSst2, path, 0).status().message(),
            path + ": line 4: expected 2 columns, found 1");
}

TEST(Glue, DamagedGzipNamesTheFileOnce) {
  const std::string path = JoinPath(testing::TempDir(), "stint_rows.tsv.gz");
  ASSERT_TRUE(WriteFileAtomically(path, "no gzip").ok());
  EXPECT_EQ(ReadGlue(GlueTask::kSst2, path).status().message(),
            path +
                ": gzip data damaged or truncated after 2 bytes: incorrect "
                "header check");
}

TEST(Glue, KnowsTasksByName) {
  EXPECT_EQ(ParseGlueTask("stsb"), GlueTask::kStsb);
  EXPECT_EQ(ParseGlueTask("mnli"), std::nullopt);
  EXPECT_EQ(GlueTaskName(GlueTask::kQnli), "qnli");
}

// Rows and labels as the publishers count them.
TEST(Glue, ReadsThePublishedDevSets) {
  const std::string folder = std::string(STINT_TEST_DATA) + "/glue";
  if (!DirectoryExists(folder)) GTEST_SKIP() << "needs " << folder;
  struct Set {
    GlueTask task;
    const char* file;
    size_t rows;
    int ones;
  };
  for (const Set& set : {Set{GlueTask::kSst2, "SST-2/dev", 872, 444},
                         Set{GlueTask::kSst2, "SST-2/train", 67349, 37569},
                         Set{GlueTask::kRte, "RTE/dev", 277, 131},
                         Set{GlueTask::kMrpc, "MRPC/dev", 408, 279},
                         Set{GlueTask::kCola, "CoLA/dev", 1043, 721},
                         Set{GlueTask::kQnli, "QNLI/dev", 5463, 2761},
                         Set{GlueTask::kStsb, "STS-B/dev", 1500, 0},
                         Set{GlueTask::kStsb, "STS-B/train", 5749, 0}}) {
    const auto rows =
        ReadGlue(set.task, JoinPath(folder, set.file) + ".tsv.gz");
    ASSERT_TRUE(rows.ok()) << rows.status().message();
    EXPECT_EQ(rows->size(), set.rows) << set.file;
    int ones = 0;
    for (const TextExample& row : *rows) ones += row.label;
    EXPECT_EQ(ones, set.ones) << set.file;
  }
}

TEST(Glue, ReadsThePublishedMeanScore) {
  const std::string path =
      std::string(STINT_TEST_DATA) + "/glue/STS-B/dev.tsv.gz";
  if (!FileExists(path)) GTEST_SKIP() << "needs " << path;
  const auto rows = ReadGlue(GlueTask::kStsb, path).value();
  double sum = 0;
  for (const TextExample& row : rows) sum += row.score;
  EXPECT_NEAR(sum / static_cast<double>(rows.size()), 2.364, 5e-4);
}

}  // namespace
}  // namespace stint

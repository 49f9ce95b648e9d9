#include "convert/huggingface/config.h"

#include <gtest/gtest.h>

#include "core/platform/file.h"

namespace stint {
namespace {

Result<EncoderConfig> Read(const std::string& content) {
  return ReadEncoderConfig(content, "config.json");
}

TEST(EncoderConfig, ReadsBert) {
  const auto config = Read(R"({
      "architectures": ["BertForSequenceClassification"],
      "model_type": "bert", "hidden_size": 384, "num_hidden_layers": 6,
      "num_attention_heads": 12, "intermediate_size": 1536,
      "hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "vocab_size": 1000,
      "max_position_embeddings": 128, "type_vocab_size": 3,
      "id2label": {"1": "positive", "0": "negative"},
      "problem_type": "single_label_classification"})");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->family, EncoderFamily::kBert);
  EXPECT_EQ(config->architecture, "BertForSequenceClassification");
  EXPECT_EQ(config->hidden_size, 384);
  EXPECT_EQ(config->layers, 6);
  EXPECT_EQ(config->heads, 12);
  EXPECT_EQ(config->intermediate_size, 1536);
  EXPECT_EQ(config->vocab_size, 1000);
  EXPECT_EQ(config->max_positions, 128);
  EXPECT_EQ(config->type_vocab_size, 3);
  EXPECT_EQ(config->first_position, 0);
  EXPECT_EQ(config->layer_norm_eps, 1e-5);
  EXPECT_EQ(config->activation, EncoderActivation::kGeluTanh);
  EXPECT_EQ(config->labels, (std::vector<std::string>{"negative", "positive"}));
  EXPECT_EQ(config->problem_type, "single_label_classification");
}

TEST(EncoderConfig, ReadsDistilBertByItsOwnNames) {
  const auto config = Read(R"({"model_type": "distilbert", "dim": 64,
      "n_layers": 2, "n_heads": 4, "hidden_dim": 128, "activation": "relu"})");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->hidden_size, 64);
  EXPECT_EQ(config->layers, 2);
  EXPECT_EQ(config->heads, 4);
  EXPECT_EQ(config->intermediate_size, 128);
  EXPECT_EQ(config->type_vocab_size, 0);
  EXPECT_EQ(config->activation, EncoderActivation::kRelu);
}

TEST(EncoderConfig, CountsRobertaPositionsFromAfterThePadding) {
  const auto config = Read(
      R"({"model_type": "roberta", "max_position_embeddings": 514,
          "type_vocab_size": 1})");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->pad_id, 1);
  EXPECT_EQ(config->first_position, 2);
  EXPECT_EQ(config->max_positions, 514);
  EXPECT_EQ(config->vocab_size, 50265);
}

void ExpectError(const std::string& content, StatusCode code,
                 const std::string& message) {
  const auto config = Read(content);
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), code);
  EXPECT_EQ(config.status().message(), message);
}

TEST(EncoderConfig, NamesWhatItDoesNotSupport) {
  ExpectError(R"({"model_type": "t5"})", StatusCode::kUnsupported,
              "config.json: model_type: 't5' is not supported, expected bert, "
              "distilbert or roberta");
  ExpectError(R"({"model_type": "bert", "hidden_act": "silu"})",
              StatusCode::kUnsupported,
              "config.json: hidden_act: 'silu' is not supported, expected "
              "gelu, gelu_new or relu");
  ExpectError(
      R"({"model_type": "bert", "position_embedding_type": "relative_key"})",
      StatusCode::kUnsupported,
      "config.json: position_embedding_type: 'relative_key' is not supported, "
      "expected 'absolute'");
}

TEST(EncoderConfig, NamesTheFieldAndBothSides) {
  ExpectError("{}", StatusCode::kDamaged,
              "config.json: expected a member 'model_type', found object of 0");
  ExpectError(R"({"model_type": "bert", "hidden_size": "x"})",
              StatusCode::kDamaged,
              "config.json: hidden_size: expected an integer, found string "
              "'x'");
  ExpectError(R"({"model_type": "bert", "num_hidden_layers": -1})",
              StatusCode::kDamaged,
              "config.json: num_hidden_layers: expected a number from 1 to "
              "1073741824, found -1");
  ExpectError(R"({"model_type": "bert", "num_attention_heads": 7})",
              StatusCode::kDamaged,
              "config.json: expected hidden_size to be a multiple of "
              "num_attention_heads, found 768 and 7");
  ExpectError(R"({"model_type": "bert", "id2label": {"1": "a"}})",
              StatusCode::kDamaged,
              "config.json: id2label: expected a member '0', found object of "
              "1");
}

class SentenceFolder : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content) {
    const std::string path = JoinPath(path_, name);
    ASSERT_TRUE(MakeDirectories(DirectoryOf(path)).ok());
    ASSERT_TRUE(WriteFileAtomically(path, content).ok());
  }
  const std::string path_ =
      testing::TempDir() + "stint_sentence_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(SentenceFolder, ReadsPoolingNormalizationAndLength) {
  Write("modules.json", R"([
      {"path": "", "type": "sentence_transformers.models.Transformer"},
      {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
      {"path": "2_Norm", "type": "sentence_transformers.models.Normalize"}])");
  Write("1_Pooling/config.json", R"({"pooling_mode_cls_token": false,
      "pooling_mode_mean_tokens": true})");
  Write("sentence_bert_config.json", R"({"max_seq_length": 256})");
  const auto config = LoadSentenceConfig(path_);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->pooling, Pooling::kMean);
  EXPECT_TRUE(config->normalize);
  EXPECT_FALSE(config->lowercase);
  EXPECT_EQ(config->max_length, 256);
}

TEST_F(SentenceFolder, PoolsNothingWithoutModules) {
  const auto config = LoadSentenceConfig(path_);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->pooling, Pooling::kNone);
  EXPECT_FALSE(config->normalize);
}

TEST_F(SentenceFolder, NamesWhatItDoesNotSupport) {
  Write("modules.json", R"([{"path": "2_Dense",
      "type": "sentence_transformers.models.Dense"}])");
  EXPECT_EQ(LoadSentenceConfig(path_).status().message(),
            path_ +
                "/modules.json: [0].type: "
                "'sentence_transformers.models.Dense' is not supported, "
                "expected Transformer, Pooling or Normalize");
  Write("modules.json", R"([{"path": "p", "type": "x.Pooling"}])");
  Write("p/config.json", R"({"pooling_mode_max_tokens": true})");
  EXPECT_EQ(LoadSentenceConfig(path_).status().message(),
            path_ +
                "/p/config.json: pooling 'pooling_mode_max_tokens' is not "
                "supported, expected mean or cls");
  Write("modules.json", R"([{"path": "../p", "type": "x.Pooling"}])");
  EXPECT_EQ(LoadSentenceConfig(path_).status().code(), StatusCode::kDamaged);
}

}  // namespace
}  // namespace stint

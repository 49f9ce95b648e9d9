#include "weights/store/package_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/base/random.h"
#include "weights/store/graph_codec.h"

namespace stint {
namespace {

Tensor Numbers(Shape shape) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
  Random random(7);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(random.NextDouble() - 0.5);
  }
  return tensor;
}

// A graph with a bit of everything that the format has to carry: symbols,
// fields of every kind, tensors of texts, a body, weights that are only packed.
Package MakePackage() {
  Package package;
  package.graph = std::make_unique<Graph>();
  Graph& graph = *package.graph;
  graph.name = "g";
  graph.doc = "a test";
  const int64_t batch = graph.Symbol("batch");
  const ValueId x =
      graph.AddInput("x", ValueType::Of(DType::kFloat32, {batch, 3}));
  const ValueId condition =
      graph.AddInput("c", ValueType::Of(DType::kBool, Shape{}));
  FusedLinear linear;
  linear.activation = "gelu";
  linear.lo = -2;
  Tensor w = Numbers({3, 5});
  package.packed["linear"] = {"gemm_f32/panels5", {w}};
  Tensor shell = w;
  shell.DropElements();
  const ValueId y = graph.Add("linear", linear,
                              {x, kNoValue, graph.AddConstant("w", shell),
                               graph.AddConstant("b", Numbers({5}))});
  ConstantOfShape fill;
  fill.value = Tensor::Vector<float>({2.5f});
  const ValueId filled = graph.Add(
      "fill", fill, {graph.AddConstant("shape", Tensor::Vector<int64_t>({2}))});
  Tensor texts = Tensor::Vector<std::string>({"a", "", "long text"});
  const ValueId words = graph.AddConstant("texts", texts);
  auto body = std::make_unique<Graph>();
  body->MarkOutput(body->AddConstant("one", Numbers({2})));
  If branch;
  branch.then_branch = graph.AddSubgraph(body->Clone());
  branch.else_branch = graph.AddSubgraph(std::move(body));
  const ValueId chosen = graph.Add("if", branch, {condition});
  for (ValueId out : {y, filled, words, chosen}) graph.MarkOutput(out);
  EXPECT_TRUE(InferGraph(&graph).ok());
  package.meaning = OutputMeaning::kClassLogits;
  package.labels = {"no", "yes"};
  package.max_length = 128;
  package.preprocessing = Preprocessing{.scale = 255, .size = 32};
  package.tokenizer_files = {
      {"vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nword\n"}};
  return package;
}

class PackageFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/package_file_test.stint";
    const auto bytes = WritePackage(MakePackage(), path_);
    ASSERT_TRUE(bytes.ok()) << bytes.status().message();
    content_ = ReadFile(path_).value();
    ASSERT_EQ(static_cast<int64_t>(content_.size()), *bytes);
  }

  Status ReadDamaged(const std::string& content) {
    EXPECT_TRUE(WriteFileAtomically(path_, content).ok());
    return ReadPackage(path_).status();
  }

  std::string path_;
  std::string content_;
};

TEST_F(PackageFile, KeepsEverything) {
  const auto package = ReadPackage(path_);
  ASSERT_TRUE(package.ok()) << package.status().message();
  const Package expected = MakePackage();
  EXPECT_EQ(DumpGraph(*package->graph), DumpGraph(*expected.graph));
  EXPECT_EQ(package->graph->doc, "a test");
  EXPECT_EQ(package->meaning, expected.meaning);
  EXPECT_EQ(package->labels, expected.labels);
  EXPECT_EQ(package->max_length, 128);
  ASSERT_TRUE(package->preprocessing.has_value());
  EXPECT_EQ(package->preprocessing->scale, 255);
  EXPECT_EQ(package->preprocessing->size, 32);
  EXPECT_EQ(package->tokenizer->TokenId("word"), 5);
  const PackedWeights& packed = package->packed.at("linear");
  EXPECT_EQ(packed.layout, "gemm_f32/panels5");
  const Tensor w = Numbers({3, 5});
  ASSERT_EQ(packed.parts[0].shape(), w.shape());
  EXPECT_EQ(std::memcmp(packed.parts[0].raw(), w.raw(), w.bytes()), 0);
}

TEST_F(PackageFile, WritesTheSameBytesTwice) {
  const std::string other = testing::TempDir() + "/again.stint";
  ASSERT_TRUE(WritePackage(ReadPackage(path_).value(), other).ok());
  EXPECT_EQ(ReadFile(other).value(), content_);
}

TEST_F(PackageFile, EveryFlippedBitIsNoticed) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::string content = content_;
    const size_t at = static_cast<size_t>(
        random.NextInt(static_cast<int64_t>(content.size())));
    content[at] = static_cast<char>(content[at] ^ (1 << random.NextInt(8)));
    const Status status = ReadDamaged(content);
    EXPECT_FALSE(status.ok()) << "byte " << at;
    EXPECT_NE(status.message().find(path_), std::string::npos);
  }
}

TEST_F(PackageFile, EveryShortFileIsNoticed) {
  for (size_t size : {0, 1, 63, 64, 200, 4096, 5000}) {
    EXPECT_FALSE(ReadDamaged(content_.substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(ReadDamaged(content_.substr(0, content_.size() - 1)).ok());
  EXPECT_FALSE(ReadDamaged(content_ + "x").ok());
}

TEST_F(PackageFile, NamesTheSectionThatIsDamaged) {
  std::string content = content_;
  content.back() ^= 1;
  EXPECT_NE(ReadDamaged(content).message().find("section 'tensors': checksum"),
            std::string::npos);
  content = content_;
  content[store::kSectionAlignment] ^= 1;
  EXPECT_NE(ReadDamaged(content).message().find("section 'graph' at 4096"),
            std::string::npos);
}

TEST_F(PackageFile, ANewerVersionIsRefused) {
  std::string content = content_;
  content[8] = static_cast<char>(store::kVersion + 1);
  const uint64_t checksum =
      store::Checksum({reinterpret_cast<const uint8_t*>(content.data()),
                       store::kHeaderChecksumAt});
  std::memcpy(content.data() + store::kHeaderChecksumAt, &checksum, 8);
  const Status status = ReadDamaged(content);
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_NE(status.message().find("version 4"), std::string::npos);
}

TEST_F(PackageFile, OtherFilesAreNotPackages) {
  EXPECT_TRUE(IsPackageFile(path_));
  EXPECT_FALSE(IsPackageFile("/nowhere"));
  EXPECT_EQ(ReadDamaged("onnx").code(), StatusCode::kDamaged);
  EXPECT_FALSE(IsPackageFile(path_));
}

TEST(GraphCodec, DamagedBytesAreRefused) {
  const Package package = MakePackage();
  std::vector<Tensor> tensors;
  const std::string bytes =
      store::EncodeGraph(*package.graph, [&](const Tensor& tensor) {
        tensors.push_back(tensor);
        return static_cast<uint32_t>(tensors.size() - 1);
      });
  const store::GetTensor get = [&](uint32_t i) -> Result<Tensor> {
    if (i >= tensors.size()) return Damaged("no such tensor");
    return tensors[i];
  };
  const auto decode = [&](const std::string& text) {
    return store::DecodeGraph(
        {reinterpret_cast<const uint8_t*>(text.data()), text.size()}, get);
  };
  ASSERT_TRUE(decode(bytes).ok()) << decode(bytes).status().message();
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode(bytes.substr(0, size)).ok()) << size;
  }
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = bytes;
    damaged[static_cast<size_t>(random.NextInt(
        static_cast<int64_t>(damaged.size())))] ^= 1 << random.NextInt(8);
    // Names may still be valid; what matters is that nothing else happens.
    const auto graph = decode(damaged);
    if (graph.ok()) {
      EXPECT_TRUE(VerifyGraph(**graph).ok());
    }
  }
}

}  // namespace
}  // namespace stint

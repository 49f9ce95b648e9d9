#include "weights/store/elastic_package.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/random.h"
#include "core/platform/file.h"
#include "weights/planes/decode_matrix.h"
#include "weights/planes/quantize_matrix.h"
#include "weights/shards/shard_weights.h"
#include "weights/store/catalog_codec.h"
#include "weights/store/package_file.h"
#include "weights/store/shard_reader.h"

namespace stint {
namespace {

Tensor Numbers(Shape shape, uint64_t seed) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
  Random random(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(0.1 * random.NextNormal());
  }
  return tensor;
}

// A table, a transformer block and a linear layer with weights the other way
// round; the last two share a name.
Package MakePackage(int64_t d) {
  Package package;
  package.graph = std::make_unique<Graph>();
  Graph& graph = *package.graph;
  const auto constant = [&](const std::string& name, Shape shape) {
    return graph.AddConstant(name, Numbers(shape, graph.num_values()));
  };
  const ValueId ids =
      graph.AddInput("ids", ValueType::Of(DType::kInt64, {1, 5}));
  const ValueId x =
      graph.Add("words", Gather{}, {constant("table", {100, d}), ids});
  FusedLinear rows;
  rows.transB = 1;
  const ValueId qkv = graph.Add(
      "qkv", rows,
      {x, kNoValue, constant("q", {d, d}), constant("qb", {d}),
       constant("k", {d, d}), kNoValue, constant("v", {d, d}), kNoValue});
  FusedAttention op;
  op.heads = d / 16;
  const ValueId attention =
      graph.Add("attention", op, {qkv, kNoValue, kNoValue, kNoValue});
  const ValueId out =
      graph.Add("out", rows, {attention, x, constant("o", {d, d}), kNoValue});
  const ValueId ffn = graph.Add(
      "ffn1", rows, {out, kNoValue, constant("f1", {4 * d, d}), kNoValue});
  const ValueId y =
      graph.Add("ffn2", rows, {ffn, out, constant("f2", {d, 4 * d}), kNoValue});
  const ValueId z = graph.Add("last", FusedLinear{},
                              {y, kNoValue, constant("l", {d, 80}), kNoValue});
  graph.MarkOutput(graph.Add("last", FusedLinear{},
                             {z, kNoValue, constant("m", {80, 30}), kNoValue}));
  const Status status = InferGraph(&graph);
  EXPECT_TRUE(status.ok()) << status.message();
  package.labels = {"no", "yes"};
  return package;
}

ElasticOptions Small() {
  ElasticOptions options;
  options.shards.min_weights = 512;
  return options;
}

std::string Write(const Package& package, const ElasticOptions& options,
                  int threads = 1) {
  const std::string path = testing::TempDir() + "/elastic_test.stint";
  ThreadPool pool(threads);
  const auto report = WriteElasticPackage(package, path, options, &pool);
  EXPECT_TRUE(report.ok()) << report.status().message();
  return path;
}

const Tensor& ConstantOf(const Graph& graph, const std::string& name) {
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const GraphValue& value = graph.value({static_cast<int32_t>(i)});
    if (value.name == name) return *value.constant;
  }
  ADD_FAILURE() << name;
  static const Tensor none;
  return none;
}

double RelativeError(const Tensor& a, const Tensor& b) {
  double error = 0, energy = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    const double off = static_cast<double>(a.data<float>()[i]) -
                       static_cast<double>(b.data<float>()[i]);
    error += off * off;
    energy += static_cast<double>(a.data<float>()[i]) * a.data<float>()[i];
  }
  return error / energy;
}

TEST(ElasticPackage, GivesWeightsBack) {
  const Package before = MakePackage(32);
  const auto options = Small();
  const std::string path = Write(before, options);
  auto package = ReadPackage(path);
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_EQ(package->labels, before.labels);
  for (const char* name : {"table", "q", "k", "v", "o", "f1", "f2", "l", "m"}) {
    EXPECT_FALSE(ConstantOf(*package->graph, name).has_elements()) << name;
  }
  EXPECT_TRUE(ConstantOf(*package->graph, "qb").has_elements());
  const Status status = RestoreShards(&*package);
  ASSERT_TRUE(status.ok()) << status.message();
  for (const char* name : {"q", "k", "v", "o", "f1", "f2", "l", "m"}) {
    EXPECT_LT(RelativeError(ConstantOf(*before.graph, name),
                            ConstantOf(*package->graph, name)),
              2e-4)
        << name;
  }
  EXPECT_LT(RelativeError(ConstantOf(*before.graph, "table"),
                          ConstantOf(*package->graph, "table")),
            0.0125);
}

TEST(ElasticPackage, HoldsWhatTheQuantizerMade) {
  const Package before = MakePackage(32);
  auto options = Small();
  options.bits = 6;
  const auto package = ReadPackage(Write(before, options));
  ASSERT_TRUE(package.ok());
  const ShardCatalog& catalog = package->shards->catalog;
  ASSERT_EQ(catalog.layers.size(), 2u);
  EXPECT_EQ(catalog.bits, 6);
  ThreadPool pool(1);
  for (size_t m = 0; m < 6; ++m) {
    const char* name[] = {"q", "k", "v", "o", "f1", "f2"};
    const Tensor& weights = ConstantOf(*before.graph, name[m]);
    const ShardMatrix& matrix = catalog.layout.layers[0].matrices[m];
    const auto copy = [&](int64_t first, std::span<float> to) {
      CopyWeightRows(weights, matrix.order, first, to);
    };
    const auto planes = QuantizeMatrix({matrix.outputs, matrix.inputs, copy},
                                       {matrix.cut, matrix.bounds, 6}, &pool);
    ASSERT_TRUE(planes.ok());
    std::vector<float> found(static_cast<size_t>(matrix.weights()));
    std::vector<float> expected(found.size());
    for (int bits = 2; bits <= 6; ++bits) {
      ASSERT_TRUE(ReadMatrix(*package->shards, 0, static_cast<int>(m), bits,
                             found.data())
                      .ok());
      DecodeMatrix(*planes, bits, expected.data());
      EXPECT_EQ(found, expected) << name[m] << " at " << bits;
    }
    const CatalogBlock& block = catalog.layers[0].matrices[m].blocks[1];
    EXPECT_FLOAT_EQ(block.distortion[1],
                    static_cast<float>(planes->blocks[1].error[1] /
                                       planes->blocks[1].energy));
  }
  EXPECT_EQ(ShardBytes(catalog, 0, 1, 6) - ShardBytes(catalog, 0, 1, 5),
            12 * 32 * 32 / 8 / 2);
  EXPECT_GT(ShardDistortion(catalog.layers[0], 0, 2), 0.05);
  EXPECT_LT(ShardDistortion(catalog.layers[0], 0, 6), 0.002);
}

TEST(ElasticPackage, ReadUnitsArePagesAndPadLittle) {
  Package package = MakePackage(192);
  const std::string path = Write(package, Small());
  const auto read = ReadPackage(path);
  ASSERT_TRUE(read.ok());
  const ShardCatalog& catalog = read->shards->catalog;
  // Of the first layer; the second is smaller than a page.
  int64_t planes = 0, padded = 0, next = 4096;
  for (size_t l = 0; l < catalog.layers.size(); ++l) {
    const ShardLayer& layer = catalog.layout.layers[l];
    for (int group = 0; group < catalog.groups(); ++group) {
      for (const ReadUnit& unit : catalog.layers[l].groups[group]) {
        EXPECT_EQ(unit.offset, next);
        EXPECT_EQ(unit.bytes % 4096, 0);
        next += unit.bytes;
        if (l == 0) padded += unit.bytes;
      }
      for (int i = 0; i < layer.slices && l == 0; ++i) {
        planes += SliceBytes(layer, i, group);
      }
    }
  }
  EXPECT_LT(static_cast<double>(padded), 1.05 * static_cast<double>(planes));
}

TEST(ElasticPackage, IsTheSameForAnyNumberOfThreads) {
  const Package package = MakePackage(32);
  const std::string one = ReadFile(Write(package, Small(), 1)).value();
  EXPECT_EQ(one, ReadFile(Write(package, Small(), 3)).value());
}

TEST(ElasticPackage, CountsWhatIsDone) {
  int64_t last = 0, total = 0;
  auto options = Small();
  options.progress = [&](int64_t done, int64_t all) {
    EXPECT_GT(done, last);
    last = done;
    total = all;
  };
  Write(MakePackage(32), options);
  EXPECT_EQ(last, total);
  EXPECT_EQ(total, 100 * 32 + 12 * 32 * 32 + 32 * 80 + 80 * 30);
}

TEST(ElasticPackage, RefusesWeightsThatAreNotFinite) {
  for (const char* name : {"v", "table"}) {
    Package package = MakePackage(32);
    Tensor weights = ConstantOf(*package.graph, name);
    weights.data<float>()[50] = NAN;
    ThreadPool pool(1);
    const std::string path = testing::TempDir() + "/nan.stint";
    const auto report = WriteElasticPackage(package, path, Small(), &pool);
    EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
    EXPECT_FALSE(FileExists(path));
  }
}

TEST(ElasticPackage, AModelWithoutBigWeightsHasNoShards) {
  const auto package = ReadPackage(Write(MakePackage(32), {}));
  ASSERT_TRUE(package.ok());
  EXPECT_EQ(package->shards->catalog.layers.size(), 0u);
  EXPECT_TRUE(ConstantOf(*package->graph, "q").has_elements());
}

// tests/fuzz/make_catalog_seed.py writes it after docs/formats/stint.md.
TEST(Catalog, IsReadAsDocumented) {
  const std::string bytes =
      ReadFile(STINT_TEST_FIXTURES "/../fuzz/package/elastic.catalog").value();
  const store::GetTensor get = [](uint32_t i) -> Result<Tensor> {
    if (i == 4) return Tensor::Allocate(DType::kInt8, {2 * 508});
    if (i == 5) return Tensor::Allocate(DType::kFloat32, {16});
    if (i == 6) return Tensor::Vector<uint32_t>({17});
    return Tensor::Vector<float>({0.5f});
  };
  const auto catalog = store::DecodeCatalog(store::BytesOf(bytes), get,
                                            {4096, 7 * 4096, 8 * 4096, 4096});
  ASSERT_TRUE(catalog.ok()) << catalog.status().message();
  ASSERT_EQ(catalog->layers.size(), 1u);
  const ShardMatrix& matrix = catalog->layout.layers[0].matrices[0];
  EXPECT_EQ(matrix.node, "node");
  EXPECT_EQ(matrix.bounds, (std::vector<int64_t>{0, 16}));
  const CatalogMatrix& entry = catalog->layers[0].matrices[0];
  EXPECT_EQ(entry.blocks[0].dictionary, 1);
  EXPECT_EQ(entry.blocks[0].energy, 2.5);
  EXPECT_FLOAT_EQ(entry.blocks[0].distortion[1], 0.025f);
  EXPECT_EQ(OutliersOf(matrix, entry, 0),
            (std::vector<PlaneOutlier>{{2, 1, 0.5f}}));
  const ReadUnit& unit = catalog->layers[0].groups[6][0];
  EXPECT_EQ(unit.offset, 7 * 4096);
  EXPECT_EQ(unit.checksum, 6u);
  EXPECT_EQ(catalog->layout.tables[0].nodes[0], "gather");
  EXPECT_EQ(catalog->tables[0].values[31], 31);
  EXPECT_EQ(catalog->tables[0].offset, 8 * 4096);
  const auto encoded = store::EncodeCatalog(
      *catalog, [n = 4u](const Tensor&) mutable { return n++; });
  EXPECT_EQ(encoded, bytes);
}

class DamagedElasticPackage : public testing::Test {
 protected:
  void SetUp() override {
    path_ = Write(MakePackage(32), Small());
    content_ = ReadFile(path_).value();
    const auto package = ReadPackage(path_);
    planes_ = package->shards->catalog.layers[1].groups[3][0].offset;
    rows_ = package->shards->catalog.tables[0].offset;
    Package restored = ReadPackage(path_).value();
    ASSERT_TRUE(RestoreShards(&restored).ok());
    expected_ = DumpWeights(restored);
  }

  static std::string DumpWeights(const Package& package) {
    std::string bytes;
    for (size_t i = 0; i < package.graph->num_values(); ++i) {
      const auto& value = package.graph->value({static_cast<int32_t>(i)});
      if (!value.constant) continue;
      bytes.append(static_cast<const char*>(value.constant->raw()),
                   value.constant->bytes());
    }
    return bytes;
  }

  // What the bytes give: an error, or the weights.
  static Result<std::string> Open(std::string_view content) {
    auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
    if (!package.ok()) return package.status();
    STINT_RETURN_IF_ERROR(RestoreShards(&*package));
    return DumpWeights(*package);
  }

  std::string path_;
  std::string content_;
  std::string expected_;
  int64_t planes_ = 0;
  int64_t rows_ = 0;
};

TEST_F(DamagedElasticPackage, PlanesAreCheckedWhenTheyAreRead) {
  std::string content = content_;
  content[planes_ + 100] ^= 4;
  auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
  ASSERT_TRUE(package.ok()) << package.status().message();
  const Status status = RestoreShards(&*package);
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("section 'planes'"), std::string::npos);
  EXPECT_NE(status.message().find("offset " + std::to_string(planes_)),
            std::string::npos);
}

TEST_F(DamagedElasticPackage, RowsAreCheckedWhenTheyAreRead) {
  std::string content = content_;
  const int64_t stride = RowFormat{32, 4}.bytes() + 4;
  content[rows_ + 7 * stride + 2] ^= 1;
  auto package = ReadPackageBytes(store::BytesOf(content), nullptr);
  ASSERT_TRUE(package.ok()) << package.status().message();
  std::vector<float> row(32);
  EXPECT_TRUE(ReadRow(*package->shards, 0, 6, row.data()).ok());
  const Status status = ReadRow(*package->shards, 0, 7, row.data());
  EXPECT_EQ(status.code(), StatusCode::kDamaged);
  EXPECT_NE(status.message().find("row 7"), std::string::npos);
}

TEST_F(DamagedElasticPackage, ARowDoesNotPassForAnother) {
  std::string content = content_;
  const int64_t stride = RowFormat{32, 4}.bytes() + 4;
  std::memcpy(content.data() + rows_, content_.data() + rows_ + stride, stride);
  EXPECT_FALSE(Open(content).ok());
}

TEST_F(DamagedElasticPackage, EveryShortFileIsNoticed) {
  ASSERT_LT(content_.size(), 128u * 1024);
  for (size_t size = 0; size < content_.size(); ++size) {
    const auto package = ReadPackageBytes(
        store::BytesOf(std::string_view(content_).substr(0, size)), nullptr);
    ASSERT_FALSE(package.ok()) << size;
  }
}

TEST_F(DamagedElasticPackage, AFlippedBitIsNoticedOrMeansNothing) {
  Random random(1);
  int noticed = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string content = content_;
    const size_t at = static_cast<size_t>(
        random.NextInt(static_cast<int64_t>(content.size())));
    content[at] = static_cast<char>(content[at] ^ (1 << random.NextInt(8)));
    const auto found = Open(content);
    noticed += found.ok() ? 0 : 1;
    if (found.ok()) {
      EXPECT_EQ(*found, expected_) << "byte " << at;
    }
  }
  EXPECT_GT(noticed, 1900);
}

TEST_F(DamagedElasticPackage, APlainFileHasNoShards) {
  std::string content = content_;
  content[8] = 1;
  const uint64_t checksum = store::Checksum(store::BytesOf(
      std::string_view(content).substr(0, store::kHeaderChecksumAt)));
  std::memcpy(content.data() + store::kHeaderChecksumAt, &checksum, 8);
  EXPECT_FALSE(Open(content).ok());
}

}  // namespace
}  // namespace stint

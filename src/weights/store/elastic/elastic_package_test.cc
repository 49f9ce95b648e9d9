#include "weights/store/elastic/elastic_package.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "core/platform/file.h"
#include "weights/planes/decode_matrix.h"
#include "weights/planes/quantize_matrix.h"
#include "weights/shards/shard_weights.h"
#include "weights/store/elastic/catalog_codec.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"
#include "weights/testing/elastic_model.h"

namespace stint {
namespace {

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
  const Package before = MakeElasticModel(32);
  const auto options = SmallShards();
  const std::string path = WriteElastic(before, options);
  auto package = ReadPackage(path);
  ASSERT_TRUE(package.ok()) << package.status().message();
  EXPECT_EQ(package->labels, before.labels);
  for (const char* name : {"table", "q", "k", "v", "o", "f1", "f2", "l", "m"}) {
    EXPECT_FALSE(ConstantOf(*package->graph, name).has_elements()) << name;
  }
  EXPECT_TRUE(ConstantOf(*package->graph, "qb").has_elements());
  const Status status = RestoreShards(*package->shards, package->graph.get());
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
  const Package before = MakeElasticModel(32);
  auto options = SmallShards();
  options.bits = 6;
  const auto package = ReadPackage(WriteElastic(before, options));
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
  Package package = MakeElasticModel(192);
  const std::string path = WriteElastic(package, SmallShards());
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
  const Package package = MakeElasticModel(32);
  const std::string one =
      ReadFile(WriteElastic(package, SmallShards(), 1)).value();
  EXPECT_EQ(one, ReadFile(WriteElastic(package, SmallShards(), 3)).value());
}

TEST(ElasticPackage, CountsWhatIsDone) {
  int64_t last = 0, total = 0;
  auto options = SmallShards();
  options.progress = [&](int64_t done, int64_t all) {
    EXPECT_GT(done, last);
    last = done;
    total = all;
  };
  WriteElastic(MakeElasticModel(32), options);
  EXPECT_EQ(last, total);
  EXPECT_EQ(total, 100 * 32 + 12 * 32 * 32 + 32 * 80 + 80 * 30);
}

TEST(ElasticPackage, RefusesWeightsThatAreNotFinite) {
  for (const char* name : {"v", "table"}) {
    Package package = MakeElasticModel(32);
    Tensor weights = ConstantOf(*package.graph, name);
    weights.data<float>()[50] = NAN;
    ThreadPool pool(1);
    const std::string path = testing::TempDir() + "/nan.stint";
    const auto report =
        WriteElasticPackage(package, path, SmallShards(), &pool);
    EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
    EXPECT_FALSE(FileExists(path));
  }
}

TEST(ElasticPackage, AModelWithoutBigWeightsHasNoShards) {
  const auto package = ReadPackage(WriteElastic(MakeElasticModel(32), {}));
  ASSERT_TRUE(package.ok());
  EXPECT_EQ(package->shards->catalog.layers.size(), 0u);
  EXPECT_TRUE(ConstantOf(*package->graph, "q").has_elements());
}

// tests/fuzz/make_catalog_seed.py writes it after docs/formats/stint.md.
TEST(ElasticPackage, KeepsTheSubNetworksThatFit) {
  Package package = MakeElasticModel(64);
  package.sub_networks = {
      {{0}, 2, 0}, {{0}, 1, 0}, {{0, 1}, 4, 0}, {{0}, 5, 0}};
  const std::string path = WriteElastic(package, SmallShards());
  const auto read = ReadPackage(path);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const std::vector<SubNetwork> expected = {{{0}, 2, 0}, {{0}, 1, 0}};
  EXPECT_EQ(read->shards->catalog.sub_networks, expected);
}

TEST(Catalog, ImportanceOfAnotherFileIsRefused) {
  ShardCatalog catalog;
  catalog.bits = 4;
  catalog.layout.layers.resize(1);
  catalog.layout.layers[0].slices = 2;
  catalog.layers.resize(1);
  catalog.importance = ImportanceKind::kLabels;
  catalog.layers[0].importance = {1, 2, 3, 4, 5, 6};
  const std::string bytes = store::EncodeImportance(catalog);
  ShardCatalog read = catalog;
  read.layers[0].importance.clear();
  EXPECT_TRUE(store::DecodeImportance(store::BytesOf(bytes), &read).ok());
  EXPECT_EQ(read.layers[0].importance, catalog.layers[0].importance);
  EXPECT_EQ(read.importance, ImportanceKind::kLabels);
  read = catalog;
  read.layers[0].importance.clear();
  read.sub_networks.resize(1);
  EXPECT_EQ(store::DecodeImportance(store::BytesOf(bytes), &read).code(),
            StatusCode::kDamaged);
}

TEST(Catalog, ImpossibleChecksAreRefused) {
  ShardCatalog catalog;
  catalog.bits = 4;
  catalog.layout.layers.resize(1);
  catalog.layout.layers[0].slices = 2;
  catalog.check_rows = 9;
  const auto with = [&](PlanCheck check) {
    ShardCatalog written = catalog;
    written.checks = {check, check};
    const std::string bytes = store::EncodeChecks(written);
    ShardCatalog read = catalog;
    const Status status = store::DecodeChecks(store::BytesOf(bytes), &read);
    if (status.ok()) {
      EXPECT_EQ(read.checks[1].bits, check.bits);
    }
    // Cut short, or followed by something, it is never taken.
    for (size_t size = 0; size < bytes.size(); ++size) {
      ShardCatalog cut = catalog;
      EXPECT_EQ(
          store::DecodeChecks(store::BytesOf(bytes).first(size), &cut).code(),
          StatusCode::kDamaged);
    }
    return status.code();
  };
  const PlanCheck good = {-1, {{0, 4}}, 0.5f, 0.1f, 0.9f};
  EXPECT_EQ(with(good), StatusCode::kOk);
  for (const auto& change : std::vector<std::function<void(PlanCheck*)>>{
           [](PlanCheck* c) { c->sub_network = 0; },
           [](PlanCheck* c) { c->sub_network = -2; },
           [](PlanCheck* c) { c->bits[0][0] = 1; },
           [](PlanCheck* c) { c->bits[0][1] = 5; },
           [](PlanCheck* c) { c->loss = std::nanf(""); },
           [](PlanCheck* c) { c->error = -1; },
           [](PlanCheck* c) { c->same = 2; }}) {
    PlanCheck bad = good;
    change(&bad);
    EXPECT_EQ(with(bad), StatusCode::kDamaged);
  }
}

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

}  // namespace
}  // namespace stint

#pragma once
// A small model with every kind of shard, for tests of elastic files.

#include <gtest/gtest.h>

#include <string>

#include "core/base/random.h"
#include "core/platform/temporary_folder.h"
#include "weights/store/elastic/elastic_package.h"
#include "weights/store/elastic/set_importance.h"
#include "weights/store/package_file.h"

namespace stint {

inline Tensor Numbers(Shape shape, uint64_t seed) {
  Tensor tensor = Tensor::Allocate(DType::kFloat32, std::move(shape)).value();
  Random random(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(0.1 * random.NextNormal());
  }
  return tensor;
}

// A table, a transformer block and a linear layer with weights the other way
// round; the last two share a name. It takes `length` ids, 0: any number.
inline Package MakeElasticModel(int64_t d, int64_t length = 5) {
  Package package;
  package.graph = std::make_unique<Graph>();
  Graph& graph = *package.graph;
  const auto constant = [&](const std::string& name, Shape shape) {
    return graph.AddConstant(name, Numbers(shape, graph.num_values()));
  };
  const ValueId ids = graph.AddInput(
      "ids", ValueType::Of(DType::kInt64,
                           {1, length > 0 ? length : graph.Symbol("n")}));
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

// Gives the file three networks to choose from: the whole, whose shards suffer
// little from few bits, and two parts of its block, which suffer more.
inline void AddImportance(const std::string& path) {
  ShardCatalog catalog = ReadPackage(path).value().shards->catalog;
  catalog.importance = ImportanceKind::kDistortion;
  for (size_t l = 0; l < catalog.layers.size(); ++l) {
    for (int i = 0; i < catalog.layout.layers[l].slices; ++i) {
      for (int g = 0; g < catalog.groups(); ++g) {
        catalog.layers[l].importance.push_back(0.01f /
                                               static_cast<float>(g + 1));
      }
    }
  }
  for (SubNetwork& network : catalog.sub_networks) network.loss = 1;
  const auto written = SetImportance(path, catalog);
  EXPECT_TRUE(written.ok()) << written.status().message();
}

inline ElasticOptions SmallShards() {
  ElasticOptions options;
  options.shards.min_weights = 512;
  return options;
}

inline std::string WriteElastic(const Package& package,
                                const ElasticOptions& options,
                                int threads = 1) {
  // Of this process: several test programs may run at once.
  static const TemporaryFolder folder = TemporaryFolder::Make().value();
  const std::string path = JoinPath(folder.path(), "elastic_test.stint");
  ThreadPool pool(threads);
  const auto report = WriteElasticPackage(package, path, options, &pool);
  EXPECT_TRUE(report.ok()) << report.status().message();
  return path;
}

}  // namespace stint

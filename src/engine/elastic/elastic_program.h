#pragma once
// A network, or a part of it that was trained by itself, bound to the codes of
// its elastic file.

#include <memory>

#include "engine/elastic/coded_layers.h"
#include "engine/run/graph_runner.h"
#include "weights/package/package.h"

namespace stint {

class ElasticProgram {
 public:
  // `network` null: the whole. `tables` are what nodes gather rows of; they,
  // the package and the gate outlive it.
  static Result<std::unique_ptr<ElasticProgram>> Create(
      const Package& package, const SubNetwork* network,
      const CodedTable& tables, const KernelSite& site, ThreadPool* pool,
      StageGate* gate);

  CodedLayers& layers() { return *layers_; }
  GraphRunner& runner() { return *runner_; }

 private:
  ElasticProgram() = default;
  // Small constants get memory of their own: those of a mapped file lie
  // scattered, and touching one takes pages of its neighbors, too.
  static Status OwnSmallConstants(Graph* graph);
  // Constants that are not computed on codes get their elements.
  Status RestoreOthers(const ShardFile& shards, Graph* graph) const;

  std::unique_ptr<CodedLayers> layers_;
  CodedTable coded_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<GraphRunner> runner_;
};

}  // namespace stint

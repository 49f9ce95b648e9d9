#include "engine/elastic/elastic_program.h"

#include "engine/elastic/importance/cut_graph.h"
#include "engine/lower/lower_graph.h"
#include "weights/store/elastic/find_shards.h"
#include "weights/store/elastic/shard_reader.h"

namespace stint {
namespace {

// Norms, biases, the weights of a classifier.
constexpr size_t kSmallBytes = 16 << 10;

}  // namespace

Result<std::unique_ptr<ElasticProgram>> ElasticProgram::Create(
    const Package& package, const SubNetwork* network, const CodedTable& tables,
    const KernelSite& site, ThreadPool* pool, StageGate* gate) {
  std::unique_ptr<ElasticProgram> program(new ElasticProgram());
  const ShardCatalog& catalog = package.shards->catalog;
  std::unique_ptr<Graph> graph;
  if (network == nullptr) {
    graph = package.graph->Clone();
  } else {
    STINT_ASSIGN_OR_RETURN(graph,
                           CutGraph(*package.graph, catalog.layout, *network));
  }
  const int slices = network == nullptr ? 0 : network->slices;
  STINT_ASSIGN_OR_RETURN(program->layers_,
                         CodedLayers::Create(catalog, *graph, slices, gate));
  program->coded_ = tables;
  for (const auto& linear : program->layers_->linear()) {
    program->coded_[linear->node()].weights = linear.get();
  }
  if (network == nullptr) {
    STINT_RETURN_IF_ERROR(program->RestoreOthers(*package.shards, graph.get()));
  }
  STINT_RETURN_IF_ERROR(OwnSmallConstants(graph.get()));
  STINT_ASSIGN_OR_RETURN(program->graph_, LowerGraph(*graph, site, nullptr));
  program->runner_ =
      std::make_unique<GraphRunner>(program->graph_.get(), site, pool);
  program->runner_->set_coded(&program->coded_);
  STINT_RETURN_IF_ERROR(program->runner_->Prepare());
  return program;
}

Status ElasticProgram::OwnSmallConstants(Graph* graph) {
  for (NodeId id : graph->order()) {
    for (ValueId in : graph->node(id).inputs) {
      if (!in.valid()) continue;
      auto& constant = graph->value(in).constant;
      if (!constant || !constant->has_elements() ||
          constant->bytes() > kSmallBytes) {
        continue;
      }
      STINT_ASSIGN_OR_RETURN(*constant, constant->Clone());
    }
  }
  return OkStatus();
}

Status ElasticProgram::RestoreOthers(const ShardFile& shards,
                                     Graph* graph) const {
  const ShardLayout& layout = shards.catalog.layout;
  const store::ShardFinder finder(*graph);
  for (size_t l = 0; l < layout.layers.size(); ++l) {
    const auto& matrices = layout.layers[l].matrices;
    for (size_t m = 0; m < matrices.size(); ++m) {
      if (coded_.find(matrices[m].node) != coded_.end()) continue;
      STINT_ASSIGN_OR_RETURN(const ValueId id, finder.Find(matrices[m]));
      STINT_RETURN_IF_ERROR(RestoreMatrix(shards, static_cast<int>(l),
                                          static_cast<int>(m),
                                          &*graph->value(id).constant));
    }
  }
  return OkStatus();
}

}  // namespace stint

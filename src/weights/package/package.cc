#include "weights/package/package.h"

namespace stint {

Package WithGraph(const Package& package, std::unique_ptr<Graph> graph) {
  Package copy;
  copy.graph = std::move(graph);
  copy.tokenizer = package.tokenizer;
  copy.tokenizer_files = package.tokenizer_files;
  copy.max_length = package.max_length;
  copy.meaning = package.meaning;
  copy.labels = package.labels;
  copy.preprocessing = package.preprocessing;
  copy.sub_networks = package.sub_networks;
  return copy;
}

Package ShareWeights(const Package& package) {
  Package copy = WithGraph(package, package.graph->Clone());
  copy.packed = package.packed;
  copy.shards = package.shards;
  copy.file = package.file;
  return copy;
}

}  // namespace stint

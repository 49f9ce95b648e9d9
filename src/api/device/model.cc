#include "stint/model.h"

#include "weights/package/package.h"
#include "weights/store/elastic/shard_reader.h"
#include "weights/store/package_file.h"

namespace stint {
namespace {

ValueInfo Describe(const Graph& graph, ValueId id) {
  const GraphValue& value = graph.value(id);
  ValueInfo info;
  info.name = value.name;
  info.dtype = value.type.dtype;
  for (int64_t dim : value.type.dims) {
    info.shape.push_back(IsKnown(dim) ? dim : -1);
    info.dim_names.push_back(
        dim <= kFirstSymbol
            ? graph.symbols()[static_cast<size_t>(kFirstSymbol - dim)]
            : "");
  }
  return info;
}

}  // namespace

Model::Model(std::shared_ptr<Package> package) : package_(std::move(package)) {
  const Graph& graph = *package_->graph;
  for (ValueId id : graph.inputs()) info_.inputs.push_back(Describe(graph, id));
  for (ValueId id : graph.outputs()) {
    info_.outputs.push_back(Describe(graph, id));
  }
  info_.elastic = package_->shards != nullptr;
  info_.takes_text = package_->tokenizer != nullptr;
  info_.max_tokens = package_->max_length;
  info_.labels = package_->labels;
  info_.preprocessing = package_->preprocessing;
}

Model Model::Detached() && {
  if (package_.use_count() == 1) return std::move(*this);
  return Model(std::make_shared<Package>(ShareWeights(*package_)));
}

Result<Model> Model::Open(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(Package package, ReadPackage(path));
  return Model(std::make_shared<Package>(std::move(package)));
}

Result<Model> Model::Restored() const {
  if (!is_elastic()) return *this;
  Package package = WithGraph(*package_, package_->graph->Clone());
  const ShardFile& shards = *package_->shards;
  const Status status = RestoreShards(shards, package.graph.get());
  if (!status.ok() && shards.file != nullptr) {
    return status.Annotate(shards.file->path());
  }
  STINT_RETURN_IF_ERROR(status);
  return Model(std::make_shared<Package>(std::move(package)));
}

std::string Model::Dump() const { return DumpGraph(*package_->graph); }

}  // namespace stint

#include "stint/model.h"

#include "weights/package/package.h"
#include "weights/store/package_file.h"
#include "weights/store/shard_reader.h"

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
  for (ValueId id : graph.inputs()) inputs_.push_back(Describe(graph, id));
  for (ValueId id : graph.outputs()) outputs_.push_back(Describe(graph, id));
}

Result<Model> Model::Open(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(Package package, ReadPackage(path));
  return Model(std::make_shared<Package>(std::move(package)));
}

bool Model::is_elastic() const { return package_->shards != nullptr; }

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

bool Model::takes_text() const { return package_->tokenizer != nullptr; }

const std::vector<std::string>& Model::labels() const {
  return package_->labels;
}

const std::optional<Preprocessing>& Model::preprocessing() const {
  return package_->preprocessing;
}

std::string Model::Dump() const { return DumpGraph(*package_->graph); }

}  // namespace stint

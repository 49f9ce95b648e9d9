#include "engine/elastic/memory/explain_memory.h"

#include "core/platform/memory/resident_parts.h"
#include "model/graph/graph_bytes.h"
#include "weights/shards/catalog_bytes.h"

namespace stint {
namespace {

std::vector<MemoryItem> ItemsOfHeap(const MemoryOwners& owners) {
  const Package& package = *owners.package;
  const ShardFile& shards = *package.shards;
  const Graph& bound = owners.runner->graph();
  const GraphRunner::Memory program = owners.runner->BoundMemory();
  const int64_t tokenizer =
      package.tokenizer == nullptr ? 0 : package.tokenizer->heap_bytes();
  return {{"tokenizer", tokenizer},
          {"graph of the file", HeapBytes(*package.graph)},
          {"bound graph", HeapBytes(bound) + program.step_bytes},
          {"constants", ConstantBytes(bound, shards.bytes)},
          {"catalog of shards", HeapBytes(shards.catalog)},
          {"scales, outliers, dictionaries", owners.layers->heap_bytes()},
          {"embedding rows", owners.row_bytes},
          {"activations", program.activation_bytes}};
}

int64_t SumOf(const std::vector<MemoryItem>& items) {
  int64_t sum = 0;
  for (const MemoryItem& item : items) sum += item.bytes;
  return sum;
}

}  // namespace

std::vector<MemoryItem> ExplainMemory(const MemoryOwners& owners) {
  // First, as what follows takes memory of its own.
  const auto parts = ReadResidentParts();
  if (!parts.ok()) return {};
  std::vector<MemoryItem> items = ItemsOfHeap(owners);
  const int64_t heap = parts->heap + parts->blocks - owners.weight_bytes;
  items.push_back({"other heap", heap - SumOf(items)});
  items.push_back({"program code and constants", parts->program});
  items.push_back({"program variables", parts->variables});
  items.push_back({"stacks", parts->stacks});
  items.push_back({"io_uring", parts->rings});
  items.push_back({"mapped files", parts->files});
  items.push_back({"margin", owners.margin_bytes});
  return items;
}

void AddOther(int64_t total_bytes, std::vector<MemoryItem>* items) {
  items->push_back({"other", total_bytes - SumOf(*items)});
}

}  // namespace stint

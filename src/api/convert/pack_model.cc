#include <algorithm>
#include <map>
#include <set>

#include "api/convert/measure_ranges.h"
#include "api/convert/profile_layers.h"
#include "api/convert/rank_shards.h"
#include "convert/passes/split_norms.h"
#include "engine/bind/restore_weights.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/zero_inputs.h"
#include "stint/convert.h"
#include "weights/store/elastic/elastic_package.h"
#include "weights/store/package_file.h"

namespace stint {
namespace {

Result<KernelSite> SiteOf(const PackOptions& options) {
  KernelSite site;
  site.isa = DetectIsa(options.isa.value_or(Isa::kAmx));
  site.threads = AvailableCpus();
  if (options.precision > Precision::kInt8) {
    return InvalidArgument("precision '" +
                           std::string(PrecisionName(options.precision)) +
                           "', expected fp32, bf16 or int8");
  }
  site.precision = options.precision;
  return site;
}

// Entries must tell nodes apart by their names, and stand for the node's own
// constants and not for what lowering made of them.
void KeepOwn(const Graph& graph, const Graph& lowered, PackedTable* packed) {
  std::map<std::string, int> count;
  for (NodeId id : graph.order()) ++count[graph.node(id).name];
  std::set<std::string> remade;
  const auto added = static_cast<int32_t>(graph.num_values());
  for (NodeId id : lowered.order()) {
    for (ValueId in : lowered.node(id).inputs) {
      if (in.index >= added && lowered.value(in).constant) {
        remade.insert(lowered.node(id).name);
      }
    }
  }
  std::erase_if(*packed, [&](const auto& entry) {
    return count[entry.first] != 1 || remade.contains(entry.first);
  });
}

int ThreadsOf(const PackOptions& options) {
  return options.threads > 0 ? options.threads : AvailableCpus();
}

// Everything of `from` that is in the file whatever its form. Weights are those
// of `from`, or plain ones where they are needed.
Result<Package> MakePackage(const Package& from, const PackOptions& options,
                            bool needs_plain) {
  Package package = WithGraph(from, from.graph->Clone());
  if (options.preprocessing) package.preprocessing = options.preprocessing;
  if (needs_plain || options.calibration) {
    STINT_RETURN_IF_ERROR(RestoreWeights(from.packed, package.graph.get()));
  } else {
    package.packed = from.packed;
  }
  const bool elastic = options.bits != 32;
  if (elastic) STINT_RETURN_IF_ERROR(SplitNorms(package.graph.get()));
  if (options.calibration &&
      (!elastic || NeedsRanges(*package.graph, Precision::kInt8))) {
    STINT_RETURN_IF_ERROR(
        MeasureRanges(*options.calibration, ThreadsOf(options), &package));
  }
  return package;
}

int64_t CountRanges(const Graph& graph) {
  const ActivationRanges ranges = RangesOf(graph);
  return std::count_if(ranges.begin(), ranges.end(),
                       [](const auto& range) { return range.has_value(); });
}

// Weights as the kernels of this machine want them, by node. A model that
// cannot be bound without real inputs has none.
Result<PackedTable> PackWeights(const Package& package,
                                const KernelSite& site) {
  const Graph& graph = *package.graph;
  STINT_ASSIGN_OR_RETURN(const auto lowered, LowerGraph(graph, site));
  ThreadPool pool(site.threads);
  GraphRunner runner(lowered.get(), site, &pool);
  runner.set_packed(&package.packed);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  NominalSizes sizes;
  if (package.max_length > 0) {
    sizes.sequence = std::min(sizes.sequence, package.max_length);
  }
  const auto inputs = ZeroInputs(*lowered, sizes);
  if (!inputs.ok() || !runner.CostFor(*inputs).ok()) return PackedTable();
  PackedTable table = runner.packed();
  KeepOwn(graph, *lowered, &table);
  return table;
}

// Constants that all their readers have in a layout with a way back.
void DropPacked(const PackedTable& packed, Graph* graph) {
  std::vector<bool> needed(graph->num_values(), false);
  for (ValueId out : graph->outputs()) needed[out.index] = true;
  for (NodeId id : graph->order()) {
    const auto it = packed.find(graph->node(id).name);
    const bool has_way_back =
        it != packed.end() && CanUnpack(it->second.layout);
    for (ValueId in : graph->node(id).inputs) {
      if (in.valid() && !has_way_back) needed[in.index] = true;
    }
  }
  for (size_t i = 0; i < needed.size(); ++i) {
    auto& constant = graph->value({static_cast<int32_t>(i)}).constant;
    if (constant && !needed[i] && constant->rank() >= 2) {
      constant->DropElements();
    }
  }
}

Result<PackReport> PackPlain(const Package& from, const std::string& path,
                             const PackOptions& options) {
  STINT_ASSIGN_OR_RETURN(const KernelSite site, SiteOf(options));
  const bool needs_plain = site.precision != Precision::kFloat32;
  STINT_ASSIGN_OR_RETURN(Package package,
                         MakePackage(from, options, needs_plain));
  STINT_ASSIGN_OR_RETURN(package.packed, PackWeights(package, site));
  DropPacked(package.packed, package.graph.get());
  PackReport report;
  STINT_ASSIGN_OR_RETURN(report.bytes, WritePackage(package, path));
  report.packed = static_cast<int64_t>(package.packed.size());
  report.ranges = CountRanges(*package.graph);
  return report;
}

Result<PackReport> PackElastic(const Package& from, const std::string& path,
                               const PackOptions& options) {
  if (options.bits < kPlaneMinBits || options.bits > kPlaneMaxBits) {
    return InvalidArgument("bits " + std::to_string(options.bits) +
                           ", expected 2 to 8, or 32");
  }
  if (options.row_bits < 4 || options.row_bits > kRowMaxBits) {
    return InvalidArgument("bits of rows " + std::to_string(options.row_bits) +
                           ", expected 4 to 8");
  }
  STINT_ASSIGN_OR_RETURN(const Package package,
                         MakePackage(from, options, true));
  ElasticOptions elastic;
  elastic.bits = options.bits;
  elastic.row_bits = options.row_bits;
  elastic.progress = options.progress;
  ThreadPool pool(ThreadsOf(options));
  STINT_ASSIGN_OR_RETURN(ElasticPackageReport report,
                         WriteElasticPackage(package, path, elastic, &pool));
  if (options.calibration) {
    STINT_ASSIGN_OR_RETURN(
        report.bytes, RankShards(path, *options.calibration, pool.threads(),
                                 options.progress));
  }
  PackReport packed{report.bytes,  0,
                    report.layers, report.shards,
                    report.tables, CountRanges(*package.graph)};
  if (options.profile) {
    STINT_ASSIGN_OR_RETURN(
        const ProfileReport profiled,
        ProfileLayers(path, path, pool.threads(), options.progress));
    packed.bytes = profiled.bytes;
    packed.profiled = profiled.shapes;
  }
  return packed;
}

}  // namespace

Result<PackReport> PackModel(const Model& model, const std::string& path,
                             const PackOptions& options) {
  if (options.profile && options.bits == 32) {
    return InvalidArgument("a plain file has no plans to measure times for");
  }
  STINT_ASSIGN_OR_RETURN(const Model restored, model.Restored());
  const Package& from = *restored.package();
  return options.bits == 32 ? PackPlain(from, path, options)
                            : PackElastic(from, path, options);
}

Result<ProfileReport> ProfilePackage(const std::string& from,
                                     const std::string& to, int threads) {
  return ProfileLayers(from, to, threads > 0 ? threads : AvailableCpus(),
                       nullptr);
}

}  // namespace stint

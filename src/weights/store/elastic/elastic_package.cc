#include "weights/store/elastic/elastic_package.h"

#include <algorithm>
#include <set>

#include "weights/planes/quantize_matrix.h"
#include "weights/shards/shard_weights.h"
#include "weights/store/elastic/elastic_writer.h"
#include "weights/store/elastic/find_shards.h"

namespace stint {
namespace {

// Rows that are coded at once, and then written.
constexpr int64_t kRowChunk = 4096;

// Shards are found by the names of their nodes.
void GiveNodesOwnNames(Graph* graph) {
  std::set<std::string> taken;
  for (NodeId id : graph->order()) taken.insert(graph->node(id).name);
  std::set<std::string> seen;
  for (NodeId id : graph->order()) {
    std::string& name = graph->node(id).name;
    if (seen.insert(name).second) continue;
    int number = 2;
    const std::string base = name + "#";
    while (taken.contains(base + std::to_string(number))) ++number;
    name = base + std::to_string(number);
    taken.insert(name);
    seen.insert(name);
  }
}

double Energy(std::span<const float> row) {
  double sum = 0;
  for (float w : row) sum += static_cast<double>(w) * w;
  return sum;
}

class ElasticPacker {
 public:
  ElasticPacker(const Graph& graph, const ElasticOptions& options,
                ElasticWriter* writer, ThreadPool* pool)
      : graph_(graph),
        finder_(graph),
        options_(options),
        writer_(*writer),
        pool_(pool) {}

  Status Run(const ShardLayout& layout) {
    Count(layout);
    for (const ShardLayer& layer : layout.layers) {
      STINT_RETURN_IF_ERROR(PackLayer(layer));
    }
    for (const ShardTable& table : layout.tables) {
      STINT_RETURN_IF_ERROR(PackTable(table));
    }
    return OkStatus();
  }

 private:
  void Count(const ShardLayout& layout) {
    for (const ShardLayer& layer : layout.layers) {
      for (const ShardMatrix& matrix : layer.matrices) {
        total_ += matrix.weights();
      }
    }
    for (const ShardTable& table : layout.tables) {
      total_ += table.rows * table.columns;
    }
  }
  void Advance(int64_t weights) {
    done_ += weights;
    if (options_.progress) options_.progress(done_, total_);
  }

  // The constant, with its elements.
  Result<Tensor> Constant(const Result<ValueId>& id) const {
    if (!id.ok()) return id.status();
    const GraphValue& value = graph_.value(*id);
    if (!value.constant->has_elements()) {
      return InvalidArgument("constant '" + value.name +
                             "' exists only in the layout of a kernel");
    }
    return *value.constant;
  }

  Status PackLayer(const ShardLayer& layer) {
    std::vector<PlaneMatrix> matrices;
    for (const ShardMatrix& m : layer.matrices) {
      STINT_ASSIGN_OR_RETURN(const Tensor constant, Constant(finder_.Find(m)));
      const auto copy = [&](int64_t first, std::span<float> to) {
        CopyWeightRows(constant, m.order, first, to);
      };
      auto planes = QuantizeMatrix({m.outputs, m.inputs, copy},
                                   {m.cut, m.bounds, options_.bits}, pool_);
      if (!planes.ok()) {
        return planes.status().Annotate("node '" + m.node + "'");
      }
      matrices.push_back(std::move(planes).value());
      Advance(m.weights());
    }
    return writer_.AddLayer(layer, matrices);
  }

  Status PackTable(const ShardTable& table) {
    STINT_ASSIGN_OR_RETURN(const Tensor constant,
                           Constant(finder_.Find(table)));
    const auto copy = [&](int64_t first, std::span<float> to) {
      CopyWeightRows(constant, WeightOrder::kRows, first, to);
    };
    auto codes =
        FitRowCodes({table.rows, table.columns, copy}, options_.row_bits);
    if (!codes.ok()) {
      return codes.status().Annotate("table of node '" + table.nodes[0] + "'");
    }
    STINT_RETURN_IF_ERROR(writer_.BeginTable(table, *codes));
    for (int64_t row = 0; row < table.rows; row += kRowChunk) {
      const int64_t count = std::min(kRowChunk, table.rows - row);
      STINT_RETURN_IF_ERROR(PackRows(*codes, constant, row, count));
      Advance(count * table.columns);
    }
    return OkStatus();
  }

  Status PackRows(const RowCodes& codes, const Tensor& constant, int64_t first,
                  int64_t count) {
    const auto stride = static_cast<size_t>(codes.format.bytes());
    const auto columns = static_cast<size_t>(codes.format.columns);
    std::vector<uint8_t> bytes(static_cast<size_t>(count) * stride);
    std::vector<double> errors(static_cast<size_t>(count), -1.0);
    const float* weights = constant.data<float>() + first * columns;
    pool_->ParallelFor(count, 64, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto error = EncodeRow(codes, {weights + i * columns, columns},
                                     bytes.data() + i * stride);
        if (error.ok()) errors[i] = *error;
      }
    });
    for (int64_t i = 0; i < count; ++i) {
      if (errors[i] < 0) {
        return InvalidArgument("row " + std::to_string(first + i) +
                               " of a table has weights that are not finite");
      }
      STINT_RETURN_IF_ERROR(
          writer_.AddRow({bytes.data() + i * stride, stride}, errors[i],
                         Energy({weights + i * columns, columns})));
    }
    return OkStatus();
  }

  const Graph& graph_;
  const store::ShardFinder finder_;
  const ElasticOptions& options_;
  ElasticWriter& writer_;
  ThreadPool* pool_;
  int64_t done_ = 0;
  int64_t total_ = 0;
};

// The graph without what is in shards.
Status DropShards(const ShardLayout& layout, Graph* graph) {
  const store::ShardFinder finder(*graph);
  const auto drop = [&](const Result<ValueId>& id) -> Status {
    if (!id.ok()) return id.status();
    graph->value(*id).constant->DropElements();
    return OkStatus();
  };
  for (const ShardLayer& layer : layout.layers) {
    for (const ShardMatrix& matrix : layer.matrices) {
      STINT_RETURN_IF_ERROR(drop(finder.Find(matrix)));
    }
  }
  for (const ShardTable& table : layout.tables) {
    STINT_RETURN_IF_ERROR(drop(finder.Find(table)));
  }
  return OkStatus();
}

}  // namespace

Result<ElasticPackageReport> WriteElasticPackage(const Package& package,
                                                 const std::string& path,
                                                 const ElasticOptions& options,
                                                 ThreadPool* pool) {
  Package rest = WithGraph(package, package.graph->Clone());
  GiveNodesOwnNames(rest.graph.get());
  const ShardLayout layout = LayOutShards(*rest.graph, options.shards);
  STINT_ASSIGN_OR_RETURN(ElasticWriter writer,
                         ElasticWriter::Create(path, options.bits));
  STINT_RETURN_IF_ERROR(
      ElasticPacker(*rest.graph, options, &writer, pool).Run(layout));
  STINT_RETURN_IF_ERROR(DropShards(layout, rest.graph.get()));
  ElasticPackageReport report;
  STINT_ASSIGN_OR_RETURN(report.bytes, writer.Finish(rest));
  report.layers = static_cast<int64_t>(layout.layers.size());
  report.tables = static_cast<int64_t>(layout.tables.size());
  for (const ShardLayer& layer : layout.layers) report.shards += layer.slices;
  return report;
}

}  // namespace stint

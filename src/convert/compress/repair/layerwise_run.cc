#include "convert/compress/repair/layerwise_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace stint {
namespace {

// Rows of one sample. More would not make kernels faster, only values larger.
constexpr int64_t kRows = 32;
// To so many rows to repair on, one is held back.
constexpr int64_t kFitToHeldBack = 8;

bool SameTypes(const std::vector<Value>& a, const std::vector<Value>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].tensor().dtype() != b[i].tensor().dtype() ||
        a[i].tensor().shape() != b[i].tensor().shape()) {
      return false;
    }
  }
  return true;
}

bool IsBatchFree(const Graph& graph) {
  return std::all_of(
      graph.inputs().begin(), graph.inputs().end(), [&](ValueId in) {
        const ValueType& type = graph.value(in).type;
        return type.ranked && type.rank() > 0 && !IsKnown(type.dims[0]);
      });
}

int64_t BytesOf(const std::vector<Value>& row) {
  int64_t bytes = 0;
  for (const Value& value : row) {
    bytes += static_cast<int64_t>(value.tensor().bytes());
  }
  return bytes;
}

// One sample of rows, whose types are equal.
Result<std::vector<Value>> Join(const Samples& rows) {
  if (rows.size() == 1) return rows[0];
  std::vector<Value> joined;
  for (size_t i = 0; i < rows[0].size(); ++i) {
    const Tensor& first = rows[0][i].tensor();
    Shape shape = first.shape();
    shape[0] *= std::ssize(rows);
    STINT_ASSIGN_OR_RETURN(Tensor all, Tensor::Allocate(first.dtype(), shape));
    for (size_t s = 0; s < rows.size(); ++s) {
      std::memcpy(static_cast<char*>(all.raw()) + s * first.bytes(),
                  rows[s][i].tensor().raw(), first.bytes());
    }
    joined.emplace_back(std::move(all));
  }
  return joined;
}

// Rows of one shape together, in the order in which shapes appear.
Result<Samples> JoinRows(Samples rows, size_t most) {
  std::vector<Samples> by_shape;
  for (auto& row : rows) {
    const auto same = std::find_if(
        by_shape.begin(), by_shape.end(),
        [&](const Samples& group) { return SameTypes(group[0], row); });
    Samples& group = same == by_shape.end() ? by_shape.emplace_back() : *same;
    group.push_back(std::move(row));
  }
  Samples joined;
  for (Samples& group : by_shape) {
    for (size_t begin = 0; begin < group.size(); begin += most) {
      const size_t end = std::min(begin + most, group.size());
      Samples part(std::make_move_iterator(group.begin() + begin),
                   std::make_move_iterator(group.begin() + end));
      STINT_ASSIGN_OR_RETURN(auto sample, Join(part));
      joined.push_back(std::move(sample));
    }
  }
  return joined;
}

// Rows of the data may be several inputs each: pairs of sentences.
Result<RepairSamples> ReadRows(const Package& package, EvalOptions options) {
  const int64_t wanted = options.max_rows > 0
                             ? options.max_rows
                             : std::numeric_limits<int64_t>::max();
  if (options.max_rows > 0) {
    options.max_rows += std::max<int64_t>(1, wanted / kFitToHeldBack);
  }
  RepairSamples rows;
  // What a run would answer does not matter here.
  const auto run = [&](const std::vector<Value>& inputs,
                       std::vector<Value>* outputs) -> Status {
    rows.fit.push_back(inputs);
    outputs->assign(1, Tensor::Scalar(1.0f));
    return OkStatus();
  };
  STINT_ASSIGN_OR_RETURN(const EvalReport report,
                         EvaluateData({&package, run}, options));
  const int64_t fit =
      std::min(wanted, (report.total * kFitToHeldBack + kFitToHeldBack) /
                           (kFitToHeldBack + 1));
  if (report.total == 0) return rows;
  const auto first =
      rows.fit.begin() + std::ssize(rows.fit) * fit / report.total;
  rows.held_back.assign(std::make_move_iterator(first),
                        std::make_move_iterator(rows.fit.end()));
  rows.fit.erase(first, rows.fit.end());
  return rows;
}

// The most that a run on one row holds at a time.
Result<int64_t> PeakBytes(const Graph& graph, const std::vector<Value>& row,
                          ThreadPool* pool) {
  LayerRun run(graph, graph.order(), pool);
  run.Start(row);
  int64_t most = 0;
  for (NodeId id : graph.order()) {
    STINT_RETURN_IF_ERROR(run.Run(id));
    most = std::max(most, run.HeldBytes());
    run.Release(id);
  }
  return most;
}

}  // namespace

Result<RepairSamples> CollectSamples(const Package& package,
                                     const EvalOptions& options,
                                     int64_t run_bytes, ThreadPool* pool) {
  STINT_ASSIGN_OR_RETURN(RepairSamples rows, ReadRows(package, options));
  if (rows.fit.empty()) return rows;
  int64_t most = 1;
  if (IsBatchFree(*package.graph)) {
    const auto largest = std::max_element(
        rows.fit.begin(), rows.fit.end(),
        [](const auto& a, const auto& b) { return BytesOf(a) < BytesOf(b); });
    STINT_ASSIGN_OR_RETURN(const int64_t peak,
                           PeakBytes(*package.graph, *largest, pool));
    // Two networks run side by side.
    most = std::clamp<int64_t>(run_bytes / std::max<int64_t>(1, 2 * peak), 1,
                               kRows);
  }
  const auto together = static_cast<size_t>(most);
  RepairSamples made;
  STINT_ASSIGN_OR_RETURN(made.fit, JoinRows(std::move(rows.fit), together));
  STINT_ASSIGN_OR_RETURN(made.held_back,
                         JoinRows(std::move(rows.held_back), together));
  return made;
}

int64_t CountRows(const Samples& samples) {
  int64_t rows = 0;
  for (const auto& sample : samples) {
    const Shape& shape = sample[0].tensor().shape();
    rows += shape.empty() ? 1 : shape[0];
  }
  return rows;
}

Status RunLayerwise(const Graph& graph, const Samples& samples,
                    ThreadPool* pool, const LayerVisitor& visitor) {
  const ThreadPool::Run awake(pool);
  LayerRun run(graph, graph.order(), pool);
  for (const auto& sample : samples) {
    run.Start(sample);
    for (NodeId id : graph.order()) {
      STINT_RETURN_IF_ERROR(run.Run(id));
      const ValueId out = graph.node(id).outputs[0];
      Tensor* output = out.valid() ? run.Find(out) : nullptr;
      if (output != nullptr) STINT_RETURN_IF_ERROR(visitor(id, output));
      run.Release(id);
    }
  }
  return OkStatus();
}

namespace {

Result<std::vector<Tensor>> Outputs(const Graph& graph,
                                    const std::vector<Value>& sample,
                                    LayerRun* run) {
  run->Start(sample);
  for (NodeId id : graph.order()) {
    STINT_RETURN_IF_ERROR(run->Run(id));
    run->Release(id);
  }
  std::vector<Tensor> outputs;
  for (ValueId out : graph.outputs()) {
    if (const Tensor* found = run->Find(out)) outputs.push_back(*found);
  }
  return outputs;
}

}  // namespace

Result<double> OutputDistance(const Graph& original, const Graph& changed,
                              const Samples& samples, ThreadPool* pool) {
  const ThreadPool::Run awake(pool);
  LayerRun was(original, original.order(), pool);
  LayerRun now(changed, changed.order(), pool);
  double difference = 0, size = 0;
  for (const auto& sample : samples) {
    STINT_ASSIGN_OR_RETURN(const auto expected,
                           Outputs(original, sample, &was));
    STINT_ASSIGN_OR_RETURN(const auto found, Outputs(changed, sample, &now));
    for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      if (found[i].shape() != expected[i].shape()) continue;
      const float* a = expected[i].data<float>();
      const float* b = found[i].data<float>();
      for (int64_t k = 0; k < expected[i].size(); ++k) {
        difference += (static_cast<double>(a[k]) - b[k]) *
                      (static_cast<double>(a[k]) - b[k]);
        size += static_cast<double>(a[k]) * a[k];
      }
    }
  }
  return size > 0 ? std::sqrt(difference / size) : 0.0;
}

}  // namespace stint

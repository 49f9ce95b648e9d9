#include "lab/tune/network_timer.h"

#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/thread_pool.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "lab/tune/gather_threads.h"

namespace stint {
namespace {

// Runs of one variant before the next: the first finds others' weights in the
// caches and does not count.
constexpr int kRunsOfTurn = 5;
constexpr int kLeastTurns = 3;
constexpr int kMostTurns = 300;
constexpr double kQuantile = 0.1;

class LayerRecorder : public StepObserver {
 public:
  explicit LayerRecorder(const std::map<std::string, std::string>* layer_of)
      : layer_of_(layer_of) {}

  void OnStep(const Node& node, int64_t start_ns, int64_t end_ns) override {
    if (!counts_ || !layer_of_->contains(node.name)) return;
    nodes_[node.name].push_back(static_cast<double>(end_ns - start_ns) * 1e-3);
  }
  void BeginRun(bool counts) { counts_ = counts; }
  void EndRun(double us) {
    if (counts_) runs_.push_back(us);
  }
  NetworkTimes Times() const {
    NetworkTimes times;
    times.run_us = Quantile(runs_, kQuantile);
    // Each by itself: a disturbance hits one step, not the whole run.
    for (const auto& [node, us] : nodes_) {
      times.layer_us[layer_of_->at(node)] += Quantile(us, kQuantile);
    }
    return times;
  }

 private:
  const std::map<std::string, std::string>* layer_of_;
  bool counts_ = false;
  std::map<std::string, std::vector<double>> nodes_;
  std::vector<double> runs_;
};

// A variant made ready.
struct Prepared {
  std::unique_ptr<Graph> graph;
  std::unique_ptr<GraphRunner> runner;
  std::vector<Value> outputs;
  std::unique_ptr<LayerRecorder> recorder;
};

class RunnerTimer : public NetworkTimer {
 public:
  explicit RunnerTimer(NetworkTimerOptions options)
      : options_(std::move(options)) {
    for (const ConvLayer& layer : options_.layers) {
      for (const std::string& node : layer.nodes) {
        layer_of_[node] = layer.name;
      }
    }
  }

  Result<std::vector<NetworkTimes>> Time(
      const std::vector<NetworkVariant>& variants, double seconds) override {
    const int64_t begin = NowNs();
    std::vector<Prepared> prepared;
    for (const NetworkVariant& variant : variants) {
      STINT_ASSIGN_OR_RETURN(Prepared one, Prepare(variant));
      prepared.push_back(std::move(one));
    }
    for (int turn = 0; turn < kMostTurns; ++turn) {
      if (turn >= kLeastTurns && MsSince(begin) > 1e3 * seconds) break;
      for (Prepared& one : prepared) STINT_RETURN_IF_ERROR(TakeTurn(&one));
    }
    std::vector<NetworkTimes> times;
    for (const Prepared& one : prepared) times.push_back(one.recorder->Times());
    return times;
  }

 private:
  Result<Prepared> Prepare(const NetworkVariant& variant) {
    KernelSite site = options_.site;
    site.schedule_mode = variant.mode;
    site.schedules = variant.schedules;
    Prepared one;
    STINT_ASSIGN_OR_RETURN(one.graph, LowerGraph(*options_.graph, site));
    one.runner =
        std::make_unique<GraphRunner>(one.graph.get(), site, options_.pool);
    STINT_RETURN_IF_ERROR(one.runner->Prepare());
    one.recorder = std::make_unique<LayerRecorder>(&layer_of_);
    one.runner->set_observer(one.recorder.get());
    return one;
  }

  Status TakeTurn(Prepared* one) {
    for (int run = 0; run < kRunsOfTurn; ++run) {
      const ThreadPool::Run awake(options_.pool);
      one->recorder->BeginRun(run > 0);
      GatherThreads(options_.pool);
      const int64_t begin = NowNs();
      STINT_RETURN_IF_ERROR(
          one->runner->RunInto(options_.inputs, &one->outputs));
      one->recorder->EndRun(static_cast<double>(NowNs() - begin) * 1e-3);
    }
    return OkStatus();
  }

  const NetworkTimerOptions options_;
  std::map<std::string, std::string> layer_of_;  // by node
};

}  // namespace

std::unique_ptr<NetworkTimer> MakeNetworkTimer(NetworkTimerOptions options) {
  return std::make_unique<RunnerTimer>(std::move(options));
}

}  // namespace stint

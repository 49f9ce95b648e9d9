#include "convert/compress/integers/min_cut.h"

#include <algorithm>
#include <limits>
#include <queue>

namespace stint {
namespace {

// Capacities below this share of the largest are rounding.
constexpr double kNothing = 1e-12;

// Augmenting paths by breadth: graphs have tens of vertices.
class FlowNetwork {
 public:
  explicit FlowNetwork(size_t vertices) : edges_(vertices) {}

  void Add(size_t from, size_t to, double forward, double backward) {
    edges_[from].push_back({to, edges_[to].size(), forward});
    edges_[to].push_back({from, edges_[from].size() - 1, backward});
    largest_ = std::max({largest_, forward, backward});
  }

  // Which vertices the source still reaches once no more flows to the sink.
  std::vector<bool> Cut(size_t source, size_t sink) {
    while (Augment(source, sink)) {
    }
    std::vector<bool> reached(edges_.size(), false);
    for (size_t v = 0; v < edges_.size(); ++v) reached[v] = from_[v] != kNone;
    return reached;
  }

 private:
  struct Edge {
    size_t to;
    size_t back;  // index of the opposite edge at `to`
    double capacity;
  };
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  bool Augment(size_t source, size_t sink) {
    from_.assign(edges_.size(), kNone);
    via_.assign(edges_.size(), 0);
    from_[source] = source;
    std::queue<size_t> next({source});
    while (!next.empty() && from_[sink] == kNone) {
      const size_t v = next.front();
      next.pop();
      for (size_t e = 0; e < edges_[v].size(); ++e) {
        const Edge& edge = edges_[v][e];
        if (from_[edge.to] != kNone || edge.capacity <= largest_ * kNothing) {
          continue;
        }
        from_[edge.to] = v;
        via_[edge.to] = e;
        next.push(edge.to);
      }
    }
    if (from_[sink] == kNone) return false;
    double flow = std::numeric_limits<double>::infinity();
    for (size_t v = sink; v != source; v = from_[v]) {
      flow = std::min(flow, edges_[from_[v]][via_[v]].capacity);
    }
    for (size_t v = sink; v != source; v = from_[v]) {
      Edge& edge = edges_[from_[v]][via_[v]];
      edge.capacity -= flow;
      edges_[v][edge.back].capacity += flow;
    }
    return true;
  }

  std::vector<std::vector<Edge>> edges_;
  std::vector<size_t> from_;
  std::vector<size_t> via_;
  double largest_ = 0;
};

}  // namespace

std::vector<bool> CheapestLabels(const std::vector<LabelCosts>& items,
                                 const std::vector<Disagreement>& pairs) {
  // Items that the sink's side keeps have label 0: cutting source -> item costs
  // label 0, item -> sink label 1.
  const size_t source = items.size();
  const size_t sink = source + 1;
  FlowNetwork network(items.size() + 2);
  for (size_t i = 0; i < items.size(); ++i) {
    const double extra = items[i].cost[0] - items[i].cost[1];
    if (extra > 0) network.Add(source, i, extra, 0);
    if (extra < 0) network.Add(i, sink, -extra, 0);
  }
  for (const Disagreement& pair : pairs) {
    if (pair.a != pair.b) network.Add(pair.a, pair.b, pair.cost, pair.cost);
  }
  std::vector<bool> labels = network.Cut(source, sink);
  labels.resize(items.size());
  return labels;
}

}  // namespace stint

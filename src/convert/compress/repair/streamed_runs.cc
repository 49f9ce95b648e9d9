#include "convert/compress/repair/streamed_runs.h"

#include <algorithm>

namespace stint {
namespace {

std::vector<NodeId> LiveOrder(const TwinGraphs& twins) {
  std::vector<NodeId> order;
  for (NodeId id : twins.order) {
    if (twins.live.count(id) > 0) order.push_back(id);
  }
  return order;
}

// Adds the bytes of values to the positions where they are alive: from one to
// another, both included.
class AliveBytes {
 public:
  explicit AliveBytes(size_t positions) : change_(positions + 1, 0) {}
  void Add(int64_t bytes, size_t first, size_t last) {
    if (first > last) return;
    change_[first] += bytes;
    change_[last + 1] -= bytes;
  }
  std::vector<int64_t> Sum() const {
    std::vector<int64_t> sums;
    int64_t sum = 0;
    for (size_t i = 0; i + 1 < change_.size(); ++i) {
      sums.push_back(sum += change_[i]);
    }
    return sums;
  }

 private:
  std::vector<int64_t> change_;
};

}  // namespace

StreamedRuns::StreamedRuns(TwinGraphs twins, const Samples& samples,
                           int64_t kept_bytes, ThreadPool* pool)
    : twins_(std::move(twins)),
      samples_(samples),
      kept_bytes_(kept_bytes),
      was_(*twins_.original, twins_.order, pool),
      kept_(samples.size()) {
  if (twins_.changed != nullptr) {
    now_.emplace(*twins_.changed, LiveOrder(twins_), pool);
  }
}

Status StreamedRuns::Measure() {
  const Graph& graph = *twins_.original;
  sizes_.assign(graph.num_nodes(), std::vector<int64_t>(samples_.size(), 0));
  value_bytes_.assign(graph.num_values(), 0);
  for (size_t s = 0; s < samples_.size(); ++s) {
    was_.Start(samples_[s]);
    for (NodeId id : twins_.order) {
      STINT_RETURN_IF_ERROR(was_.Run(id));
      const Node& node = graph.node(id);
      for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (!node.outputs[i].valid()) continue;
        const Tensor* made = was_.Find(node.outputs[i]);
        if (made == nullptr) continue;
        value_bytes_[static_cast<size_t>(node.outputs[i].index)] +=
            static_cast<int64_t>(made->bytes());
        if (i == 0) sizes_[static_cast<size_t>(id.index)][s] = made->size();
      }
      was_.Release(id);
    }
  }
  FindKeptBytes();
  return OkStatus();
}

void StreamedRuns::FindKeptBytes() {
  const Graph& graph = *twins_.original;
  const size_t count = twins_.order.size();
  AliveBytes alive(count);
  std::vector<size_t> last_was(graph.num_values(), 0);
  std::vector<size_t> last_now(graph.num_values(), 0);
  for (size_t p = 0; p < count; ++p) {
    const NodeId id = twins_.order[p];
    for (ValueId in : graph.node(id).inputs) {
      if (in.valid()) last_was[static_cast<size_t>(in.index)] = p;
    }
    if (twins_.changed == nullptr || twins_.live.count(id) == 0) continue;
    for (ValueId in : twins_.changed->node(id).inputs) {
      if (in.valid() && static_cast<size_t>(in.index) < last_now.size()) {
        last_now[static_cast<size_t>(in.index)] = p;
      }
    }
  }
  for (ValueId out : graph.outputs()) {
    last_was[static_cast<size_t>(out.index)] = count - 1;
  }
  for (size_t p = 0; p < count; ++p) {
    const NodeId id = twins_.order[p];
    for (ValueId out : graph.node(id).outputs) {
      if (!out.valid()) continue;
      const auto index = static_cast<size_t>(out.index);
      // What is read at a position has been released there in the original.
      alive.Add(value_bytes_[index], p, std::max(p, last_was[index]));
      if (twins_.same.count(id) > 0) {
        // Shared, but perhaps for longer.
        alive.Add(value_bytes_[index], last_was[index] + 1, last_now[index]);
      } else if (twins_.live.count(id) > 0) {
        alive.Add(value_bytes_[index], p + 1, last_now[index]);
      }
    }
  }
  alive_bytes_ = alive.Sum();
}

std::optional<size_t> StreamedRuns::PlaceToKeep(size_t position) const {
  // Alone, the node itself is to run anew when its weights have changed.
  size_t end = twins_.changed != nullptr ? position + 1 : position;
  const size_t first = kept_at_ ? *kept_at_ + 1 : 0;
  for (; end > first; --end) {
    if (alive_bytes_[end - 1] <= kept_bytes_) return end - 1;
  }
  return std::nullopt;
}

Status StreamedRuns::RunOriginal(size_t position) {
  const NodeId id = twins_.order[position];
  STINT_RETURN_IF_ERROR(was_.Run(id));
  was_.Release(id);
  return OkStatus();
}

Status StreamedRuns::RunChanged(size_t position) {
  const NodeId id = twins_.order[position];
  if (!now_ || twins_.live.count(id) == 0) return OkStatus();
  if (twins_.same.count(id) > 0) {
    now_->TakeOutputs(id, was_);
  } else {
    STINT_RETURN_IF_ERROR(now_->Run(id));
  }
  now_->Release(id);
  return OkStatus();
}

Status StreamedRuns::Visit(size_t position, const Visitor& visitor) {
  const std::optional<size_t> keep = PlaceToKeep(position);
  was_.ForgetConstants();
  if (now_) now_->ForgetConstants();
  for (size_t s = 0; s < samples_.size(); ++s) {
    size_t next = 0;
    if (kept_at_) {
      was_.Start(kept_[s].was);
      if (now_) now_->Start(kept_[s].now);
      STINT_RETURN_IF_ERROR(RunChanged(*kept_at_));
      next = *kept_at_ + 1;
    } else {
      was_.Start(samples_[s]);
      if (now_) now_->Start(samples_[s]);
    }
    for (size_t p = next; p <= position; ++p) {
      STINT_RETURN_IF_ERROR(RunOriginal(p));
      if (keep == p) {
        kept_[s].was = was_.Save();
        if (now_) kept_[s].now = now_->Save();
      }
      if (p < position) STINT_RETURN_IF_ERROR(RunChanged(p));
    }
    STINT_RETURN_IF_ERROR(visitor(s, &was_, now_ ? &*now_ : nullptr));
  }
  if (keep) kept_at_ = keep;
  return OkStatus();
}

}  // namespace stint

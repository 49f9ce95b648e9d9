#pragma once
// One memory budget for all runners of a process: what each of them may take
// for weights. Runners that have no plan yet have a share, too, so that whoever
// plans first leaves them theirs.

#include <cstdint>
#include <functional>
#include <vector>

namespace stint {

// What is known of a runner, and how it gives its weights back.
struct MemoryShare {
  int64_t least_bytes = 0;   // without so many it cannot run
  int64_t most_bytes = 0;    // all of its weights
  int64_t fixed_bytes = 0;   // of the process without weights; 0: not measured
  int64_t weight_bytes = 0;  // in memory now
  bool stale = false;        // the runner has to plan before its next run
  std::function<void()> release;  // makes weight_bytes 0
  // Gives back what is bound to inputs; its next run binds that again.
  std::function<void()> release_shapes;
};

// Used by one thread at a time, as are all of its runners.
class MemoryShares {
 public:
  // `budget_bytes`: resident memory of the whole process.
  explicit MemoryShares(int64_t budget_bytes) : budget_bytes_(budget_bytes) {}

  int64_t budget_bytes() const { return budget_bytes_; }

  // The share stays where it is until it leaves. Those who have been there
  // before give their weights back at once, and later take what is then theirs.
  void Join(MemoryShare* share);
  // From their next run on the others may take more.
  void Leave(MemoryShare* share);

  // Gives back the weights of all but `share` (null: of all): something is
  // about to take memory of which it is not known how much.
  void ReleaseOthers(const MemoryShare* share);
  // Before a run of `share`; whether the run before was its own, too, so that
  // nobody else took memory meanwhile.
  bool TakeTurn(const MemoryShare* share);
  // What all but `share` have bound to inputs: shapes of one are larger than
  // when another planned.
  void ReleaseShapesOfOthers(const MemoryShare* share);
  // Gives back the weights of those that have more than their share.
  void MakeRoom(const MemoryShare* share);

  // Weights in memory now, of all but `share`.
  int64_t WeightsOfOthers(const MemoryShare* share) const;
  // What the process takes without weights, as far as anybody measured.
  int64_t FixedBytes() const;
  // Bytes of weights: what each needs at least, and of the rest parts as large
  // as what each could still use. The budget is never exceeded by all shares
  // and FixedBytes together.
  int64_t BytesOf(const MemoryShare* share) const;

 private:
  const int64_t budget_bytes_;
  std::vector<MemoryShare*> shares_;
  const MemoryShare* last_ = nullptr;  // that ran
};

}  // namespace stint

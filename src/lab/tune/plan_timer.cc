#include "lab/tune/plan_timer.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/base/checked_math.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "engine/choose/bound_conv.h"
#include "engine/profile/timing_tensors.h"
#include "kernels/conv_blocked_f32/layout.h"
#include "lab/tune/gather_threads.h"
#include "stint/tensor.h"

namespace stint {
namespace {

constexpr int64_t kMostRotatedBytes = 48 << 20;
constexpr int64_t kMostCopies = 64;
// Turns of a plan: a few for all, more for those that are close to the first.
constexpr int kFirstTurns = 3;
constexpr int kNextTurns = 6;
constexpr int kMostTurns = 24;
constexpr double kHopeless = 1.6;
constexpr double kClose = 1.15;
constexpr double kQuantile = 0.2;

// Copies of weights as one kernel packs them.
struct PackedCopies {
  Tensor weights;
  int64_t stride = 0;  // floats
  int64_t copies = 1;
};

struct Candidate {
  BoundConv conv;
  const PackedCopies* weights = nullptr;  // null: cannot run
  std::vector<double> us;

  double Best() const { return *std::min_element(us.begin(), us.end()); }
};

class KernelTimer : public PlanTimer {
 public:
  KernelTimer(const TuneProblem& problem, int64_t weight_bytes,
              std::function<bool()> expired, ThreadPool* pool)
      : problem_(problem),
        weight_bytes_(weight_bytes),
        expired_(std::move(expired)),
        pool_(pool) {}

  Status Init() {
    const ConvF32Shape& s = problem_.shape;
    const int64_t block = ConvBlockedF32Block(problem_.isa);
    STINT_ASSIGN_OR_RETURN(
        w_, UniformFloats(s.out_channels * s.group_in() * s.taps(), 1));
    STINT_ASSIGN_OR_RETURN(
        x_,
        UniformFloats(
            s.batch * BlockedFloats(s.in_channels, s.in_plane(), block), 2));
    STINT_ASSIGN_OR_RETURN(bias_,
                           UniformFloats(RoundUp(s.out_channels, block), 3));
    STINT_ASSIGN_OR_RETURN(
        y_, AllocateFloats(
                s.batch * BlockedFloats(s.out_channels, s.out_plane(), block)));
    return OkStatus();
  }

  Result<std::vector<double>> Time(
      const std::vector<ConvPlan>& plans) override {
    std::vector<Candidate> candidates;
    for (const ConvPlan& plan : plans) {
      STINT_ASSIGN_OR_RETURN(Candidate candidate, Prepare(plan));
      candidates.push_back(std::move(candidate));
    }
    TakeTurns(&candidates);
    std::vector<double> times;
    for (const Candidate& c : candidates) {
      times.push_back(c.us.empty() ? 0 : Quantile(c.us, kQuantile));
    }
    return times;
  }

 private:
  Result<Candidate> Prepare(const ConvPlan& plan) {
    Candidate c;
    const ConvChoice choice =
        ChoiceOf(plan, problem_.shape, problem_.input, problem_.isa);
    if (choice.kernel == nullptr) return c;
    auto bound =
        BindConv(choice, problem_.shape, Activation::Relu(), problem_.isa);
    if (!bound.ok()) return c;
    c.conv = *std::move(bound);
    STINT_ASSIGN_OR_RETURN(c.weights, CopiesFor(*choice.kernel));
    const int64_t bytes = c.conv.ScratchBytes(problem_.shape, pool_->threads());
    if (bytes > static_cast<int64_t>(scratch_.bytes())) {
      STINT_ASSIGN_OR_RETURN(scratch_, AllocateFloats(CeilDiv(bytes, 4)));
    }
    return c;
  }

  Result<const PackedCopies*> CopiesFor(const ConvBlockedF32Kernel& kernel) {
    PackedCopies& packed = packed_[ConvBlockedF32Layout(kernel)];
    if (packed.stride > 0) return &packed;
    const ConvF32Shape& s = problem_.shape;
    const int64_t bytes = kernel.packed_bytes(kernel, s);
    const int64_t rotated = std::min(weight_bytes_, kMostRotatedBytes);
    packed.stride = RoundUp(CeilDiv(bytes, 4), 16);
    packed.copies = std::clamp<int64_t>(rotated / std::max<int64_t>(bytes, 1),
                                        1, kMostCopies);
    STINT_ASSIGN_OR_RETURN(packed.weights,
                           AllocateFloats(packed.stride * packed.copies));
    float* first = packed.weights.data<float>();
    kernel.pack(kernel, s, w_.data<float>(), first, pool_);
    for (int64_t i = 1; i < packed.copies; ++i) {
      std::memcpy(first + i * packed.stride, first, static_cast<size_t>(bytes));
    }
    return &packed;
  }

  void RunTurn(int turn, Candidate* c) {
    ConvBlockedF32Args args;
    args.shape = problem_.shape;
    args.x = x_.data<float>();
    args.w = c->weights->weights.data<float>() +
             next_copy_++ % c->weights->copies * c->weights->stride;
    args.bias = bias_.data<float>();
    args.act = Activation::Relu();
    args.y = y_.data<float>();
    args.scratch = scratch_.data<float>();
    GatherThreads(pool_);
    const int64_t begin = NowNs();
    c->conv.Run(args, pool_);
    // The first turn finds code that never ran.
    if (turn > 0) c->us.push_back(static_cast<double>(NowNs() - begin) * 1e-3);
  }

  // The least time of any so far; 0: none was taken.
  static double Least(const std::vector<Candidate>& candidates) {
    double least = 0;
    for (const Candidate& c : candidates) {
      if (!c.us.empty() && (least == 0 || c.Best() < least)) least = c.Best();
    }
    return least;
  }

  void TakeTurns(std::vector<Candidate>* candidates) {
    const ThreadPool::Run awake(pool_);
    for (int turn = 0; turn <= kMostTurns; ++turn) {
      const double least = Least(*candidates);
      const double limit =
          turn < kFirstTurns ? 1e30
                             : (turn < kNextTurns ? kHopeless : kClose) * least;
      bool others = candidates->size() == 1;
      for (size_t i = 0; i < candidates->size(); ++i) {
        Candidate& c = (*candidates)[i];
        const bool hopeless = i > 0 && !c.us.empty() && c.Best() > limit;
        if (c.weights == nullptr || hopeless) continue;
        others |= i > 0;
        RunTurn(turn, &c);
      }
      if (!others || (turn > 0 && expired_())) return;
    }
  }

  const TuneProblem problem_;
  const int64_t weight_bytes_;
  const std::function<bool()> expired_;
  ThreadPool* pool_;
  Tensor w_, x_, bias_, y_, scratch_;
  std::map<std::string, PackedCopies> packed_;  // by layout
  int64_t next_copy_ = 0;
};

}  // namespace

Result<std::unique_ptr<PlanTimer>> MakePlanTimer(const TuneProblem& problem,
                                                 int64_t weight_bytes,
                                                 std::function<bool()> expired,
                                                 ThreadPool* pool) {
  auto timer = std::make_unique<KernelTimer>(problem, weight_bytes,
                                             std::move(expired), pool);
  STINT_RETURN_IF_ERROR(timer->Init());
  return std::unique_ptr<PlanTimer>(std::move(timer));
}

}  // namespace stint

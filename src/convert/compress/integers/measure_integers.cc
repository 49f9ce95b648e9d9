#include "convert/compress/integers/measure_integers.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "convert/compress/integers/integer_chains.h"
#include "convert/compress/integers/quantize_graph.h"
#include "convert/passes/pass.h"
#include "convert/passes/pipeline.h"
#include "core/platform/clock.h"

namespace stint {
namespace {

// Forms are timed in turns, so that all see the same machine, for so long.
constexpr int kLeastTurns = 4;
constexpr int kRunsInTurn = 5;
constexpr double kSeconds = 0.6;
// A form that is faster by less is not: of those alike, the first counts.
constexpr double kNoise = 0.97;

// One form of the network: which convolutions are in int8.
struct Form {
  std::set<std::string> layers;
  std::unique_ptr<Session> session;
  // The least of many times by step, whose sum a busy machine disturbs less
  // than it does whole runs.
  std::vector<TimedStep> steps;

  double ms() const {
    double us = 0;
    for (const TimedStep& step : steps) us += step.us;
    return us * 1e-3;
  }
};

class IntegerMeasurement {
 public:
  IntegerMeasurement(const Package& package, const Samples& samples,
                     const Runtime& runtime, ThreadPool* pool)
      : package_(package),
        row_({FirstRow(samples[0])}),
        runtime_(runtime),
        pool_(pool),
        graph_(package.graph->Clone()) {}

  Result<MeasuredIntegers> Run() {
    STINT_RETURN_IF_ERROR(FuseHardSwish(graph_.get()).status());
    RemoveDeadNodes(graph_.get());
    const std::set<NodeId> every = FindConvolutions(*graph_);
    if (every.empty()) {
      return Unsupported("the model has no convolution to quantize");
    }
    STINT_RETURN_IF_ERROR(Add({}));
    STINT_RETURN_IF_ERROR(Add(NamesOf(every)));
    STINT_RETURN_IF_ERROR(TimeForms());
    STINT_RETURN_IF_ERROR(FindGains());
    STINT_RETURN_IF_ERROR(
        Add(NamesOf(WithoutLoneConvolutions(*graph_, every))));
    STINT_RETURN_IF_ERROR(TimeForms());
    return Choose();
  }

 private:
  std::set<std::string> NamesOf(const std::set<NodeId>& nodes) const {
    std::set<std::string> names;
    for (NodeId id : nodes) names.insert(graph_->node(id).name);
    return names;
  }

  // Ready to run, unless it is there. Answers do not count: codes are those of
  // one row.
  Status Add(std::set<std::string> layers) {
    const bool known =
        std::any_of(forms_.begin(), forms_.end(),
                    [&](const Form& form) { return form.layers == layers; });
    if (known) return OkStatus();
    Package package = WithGraph(package_, graph_->Clone());
    if (!layers.empty()) {
      IntegerOptions quantize;
      quantize.correct_bias = false;
      quantize.layers = layers;
      STINT_RETURN_IF_ERROR(
          QuantizeGraph(quantize, row_, pool_, package.graph.get()).status());
    }
    STINT_RETURN_IF_ERROR(RunPasses(package.graph.get()).status());
    SessionOptions options;
    options.profile = true;
    STINT_ASSIGN_OR_RETURN(
        Session session,
        Session::Create(Model(std::make_shared<Package>(std::move(package))),
                        runtime_, options));
    forms_.push_back(
        {std::move(layers), std::make_unique<Session>(std::move(session)), {}});
    return OkStatus();
  }

  // By the steps of the first two forms; what gains becomes the third.
  Status FindGains() {
    STINT_ASSIGN_OR_RETURN(const auto elements, CountElements());
    gains_ =
        FindIntegerGains(*graph_, {forms_[0].steps, forms_[1].steps, elements});
    std::set<std::string> layers;
    for (const IntegerGain& gain : gains_) {
      if (gain.pays) layers.insert(gain.layer);
    }
    return Add(std::move(layers));
  }

  Status TimeForms() {
    const int64_t start = NowNs();
    for (int turn = 0; turn < kLeastTurns || MsSince(start) < 1e3 * kSeconds;
         ++turn) {
      for (Form& form : forms_) STINT_RETURN_IF_ERROR(TimeStepsOf(&form));
    }
    return OkStatus();
  }

  Status TimeStepsOf(Form* form) {
    STINT_ASSIGN_OR_RETURN(
        std::vector<TimedStep> steps,
        TimeSteps(row_[0], kRunsInTurn, form->session.get()));
    for (size_t i = 0; i < std::min(steps.size(), form->steps.size()); ++i) {
      steps[i].us = std::min(steps[i].us, form->steps[i].us);
    }
    form->steps = std::move(steps);
    return OkStatus();
  }

  Result<std::vector<int64_t>> CountElements() {
    std::vector<int64_t> elements(graph_->num_values(), 0);
    for (size_t i = 0; i < graph_->inputs().size(); ++i) {
      elements[static_cast<size_t>(graph_->inputs()[i].index)] =
          row_[0][i].tensor().size();
    }
    STINT_RETURN_IF_ERROR(
        RunLayerwise(*graph_, row_, pool_, [&](NodeId id, Tensor* output) {
          const ValueId out = graph_->node(id).outputs[0];
          elements[static_cast<size_t>(out.index)] = output->size();
          return OkStatus();
        }));
    return elements;
  }

  Result<MeasuredIntegers> Choose() {
    // What was chosen by layer comes first, every convolution last.
    const Form* best = nullptr;
    for (size_t i = 2; i <= forms_.size(); ++i) {
      const Form& form = forms_[i < forms_.size() ? i : 1];
      if (best == nullptr || form.ms() < kNoise * best->ms()) best = &form;
    }
    const double in_float = forms_[0].ms();
    if (best->ms() > kNoise * in_float) {
      char text[160];
      std::snprintf(text, sizeof text,
                    "no convolution of the model gains by int8 in %s, %d "
                    "threads: a run takes %.3f ms in float32, %.3f ms in int8",
                    std::string(IsaName(runtime_.isa())).c_str(),
                    runtime_.threads(), in_float, forms_[1].ms());
      return Unsupported(text);
    }
    MeasuredIntegers found{best->layers, gains_, in_float, forms_[1].ms(),
                           best->ms()};
    for (IntegerGain& gain : found.gains) {
      const bool chosen = best->layers.count(gain.layer) > 0;
      if (gain.pays && !chosen) {
        gain.reason = "the network is faster with it in float32";
      }
      gain.pays = chosen;
      if (chosen) gain.reason.clear();
    }
    return found;
  }

  const Package& package_;
  const Samples row_;
  const Runtime& runtime_;
  ThreadPool* pool_;
  std::unique_ptr<Graph> graph_;
  std::vector<Form> forms_;  // in float32, every one in int8, others
  std::vector<IntegerGain> gains_;
};

}  // namespace

Result<MeasuredIntegers> MeasureIntegers(const Package& package,
                                         const Samples& samples,
                                         const Runtime& runtime,
                                         ThreadPool* pool) {
  if (samples.empty()) {
    return InvalidArgument("int8 needs data to be timed on");
  }
  return IntegerMeasurement(package, samples, runtime, pool).Run();
}

}  // namespace stint

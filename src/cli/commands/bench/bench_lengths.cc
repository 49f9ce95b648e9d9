#include <algorithm>

#include "cli/commands/bench/bench_parts.h"
#include "core/base/random.h"
#include "core/meter/statistics.h"
#include "core/meter/stopwatch.h"
#include "lab/peers/make_inputs.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

// Runs of one length in a row; the first of them, which finds the caches as
// another length left them, is not counted.
constexpr int kBurst = 6;

struct LengthTimes {
  int64_t sequence = 0;
  std::vector<Value> inputs;
  std::vector<Value> outputs;
  std::vector<double> fixed_ms;
  std::vector<double> mixed_ms;
  double bind_us = 0;       // of a new length, without kernels
  double first_run_us = 0;  // of a new length, over that of a later run
};

Result<double> TimeRun(Session* session, LengthTimes* length) {
  const Stopwatch watch;
  STINT_RETURN_IF_ERROR(session->RunInto(length->inputs, &length->outputs));
  return watch.wall_ms();
}

Result<std::vector<LengthTimes>> MakeLengths(const Model& model,
                                             const BenchOptions& bench) {
  std::vector<LengthTimes> lengths;
  for (int64_t sequence : bench.sequences) {
    LengthTimes length;
    length.sequence = sequence;
    const int64_t batch = bench.batches.empty() ? 1 : bench.batches[0];
    STINT_ASSIGN_OR_RETURN(
        const auto named,
        MakeInputs(model, {batch, sequence, bench.input_shapes}, bench.seed));
    for (const NamedValue& input : named) length.inputs.push_back(input.value);
    lengths.push_back(std::move(length));
  }
  return lengths;
}

// What the first run of each length costs over a second. The session has run
// before: its weights are packed. Writes to the member that is named.
Status TimeFirstRuns(Session* session, double LengthTimes::*first_us,
                     std::vector<LengthTimes>* lengths) {
  for (LengthTimes& length : *lengths) {
    STINT_ASSIGN_OR_RETURN(const double first_ms, TimeRun(session, &length));
    STINT_ASSIGN_OR_RETURN(const double again_ms, TimeRun(session, &length));
    length.*first_us = (first_ms - again_ms) * 1e3;
  }
  return OkStatus();
}

// One round of both orders.
Status TimeRound(Session* session, Random* random,
                 std::vector<LengthTimes>* lengths) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lengths->size(); ++i) {
    order.insert(order.end(), kBurst, i);
    LengthTimes& length = (*lengths)[i];
    for (int k = 0; k < kBurst; ++k) {
      STINT_ASSIGN_OR_RETURN(const double ms, TimeRun(session, &length));
      if (k > 0) length.fixed_ms.push_back(ms);
    }
  }
  for (size_t i = order.size() - 1; i > 0; --i) {
    const auto other =
        static_cast<size_t>(random->NextInt(static_cast<int64_t>(i) + 1));
    std::swap(order[i], order[other]);
  }
  for (size_t i : order) {
    LengthTimes& length = (*lengths)[i];
    STINT_ASSIGN_OR_RETURN(const double ms, TimeRun(session, &length));
    length.mixed_ms.push_back(ms);
  }
  return OkStatus();
}

Result<std::vector<LengthTimes>> Measure(const BenchOptions& bench,
                                         const RunOptions& run) {
  STINT_ASSIGN_OR_RETURN(const Model model, ImportModel(bench.model));
  STINT_ASSIGN_OR_RETURN(auto lengths, MakeLengths(model, bench));
  STINT_ASSIGN_OR_RETURN(const Runtime runtime, run.MakeRuntime());
  SessionOptions options;
  options.precision = ParsePrecision(bench.precisions[0]);
  BenchOptions other = bench;
  other.sequences = {bench.sequences[0] + 1};
  STINT_ASSIGN_OR_RETURN(auto warm_up, MakeLengths(model, other));
  for (const bool null_kernels : {true, false}) {
    options.lab.null_kernels = null_kernels;
    STINT_ASSIGN_OR_RETURN(Session session,
                           Session::Create(model, runtime, options));
    STINT_RETURN_IF_ERROR(TimeRun(&session, &warm_up[0]).status());
    STINT_RETURN_IF_ERROR(TimeFirstRuns(
        &session,
        null_kernels ? &LengthTimes::bind_us : &LengthTimes::first_run_us,
        &lengths));
    Random random(bench.seed);
    const Stopwatch total;
    while (!null_kernels && (lengths[0].fixed_ms.size() < 2 * kBurst ||
                             total.wall_ms() < bench.seconds * 1e3)) {
      STINT_RETURN_IF_ERROR(TimeRound(&session, &random, &lengths));
    }
  }
  return lengths;
}

double MedianOf(const std::vector<LengthTimes>& lengths,
                double LengthTimes::*us) {
  std::vector<double> all;
  for (const LengthTimes& length : lengths) all.push_back(length.*us);
  return Median(all);
}

double SumOfMedians(const std::vector<LengthTimes>& lengths,
                    std::vector<double> LengthTimes::*times) {
  double sum = 0;
  for (const LengthTimes& length : lengths) sum += Median(length.*times);
  return sum;
}

Table ToTable(const std::vector<LengthTimes>& lengths) {
  Table table;
  table.columns = {"seq", "fixed_ms", "mixed_ms", "bind_us", "first_run_us"};
  for (const LengthTimes& length : lengths) {
    table.rows.push_back({length.sequence, Median(length.fixed_ms),
                          Median(length.mixed_ms), length.bind_us,
                          length.first_run_us});
  }
  return table;
}

void PrintLengths(const std::vector<LengthTimes>& lengths,
                  const std::string& format) {
  const double fixed = SumOfMedians(lengths, &LengthTimes::fixed_ms);
  const double mixed = SumOfMedians(lengths, &LengthTimes::mixed_ms);
  const double bind_us = MedianOf(lengths, &LengthTimes::bind_us);
  const double first_us = MedianOf(lengths, &LengthTimes::first_run_us);
  ReportSection section;
  section.figures.push_back({"", "", {}, ToTable(lengths)});
  section.findings = {
      "Lengths in random order cost " + FormatNumber("%.4f", mixed / fixed) +
      " times as much as each by itself; a new length " +
      FormatNumber("%.0f us", bind_us) + " (" +
      FormatNumber("%.0f us", first_us) + " with its first run)."};
  PrintResult(format,
              {{"rows", RowsJson(section.figures[0].table)},
               {"fixed_ms", fixed},
               {"mixed_ms", mixed},
               {"ratio", mixed / fixed},
               {"bind_us", bind_us},
               {"first_run_us", first_us}},
              section);
}

}  // namespace

int BenchLengths(const BenchOptions& bench, const RunOptions& run) {
  if (bench.sequences.size() < 2) {
    PrintError("stint: --mixed needs two or more lengths in --seq\n");
    return kExitUsage;
  }
  const auto lengths = Measure(bench, run);
  if (!lengths.ok()) return Fail(lengths.status());
  PrintLengths(*lengths, run.format);
  return kExitOk;
}

}  // namespace stint::cli

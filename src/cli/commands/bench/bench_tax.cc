#include "cli/commands/bench/bench_parts.h"
#include "core/meter/statistics.h"
#include "core/meter/stopwatch.h"
#include "lab/peers/make_inputs.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

struct Tax {
  int64_t batch = 0;
  int64_t sequence = 0;
  size_t steps = 0;
  double null_us = 0;  // a run without kernels, median
  double run_us = 0;   // a run with them
  double ns_per_step() const {
    return steps > 0 ? null_us * 1e3 / static_cast<double>(steps) : 0;
  }
  double share() const { return run_us > 0 ? null_us / run_us : 0; }
};

// Medians of runs in turns, so that both see the same machine.
Result<Tax> MeasureTax(const Model& model, const BenchOptions& bench,
                       const RunOptions& run, const InputSizes& sizes) {
  STINT_ASSIGN_OR_RETURN(const auto named,
                         MakeInputs(model, sizes, bench.seed));
  std::vector<Value> inputs;
  for (const NamedValue& input : named) inputs.push_back(input.value);
  STINT_ASSIGN_OR_RETURN(const Runtime runtime, run.MakeRuntime());
  SessionOptions options;
  options.precision = ParsePrecision(bench.precisions[0]);
  options.lab.primitive = bench.primitive;
  options.lab.schedule =
      ParseScheduleMode(bench.schedule).value_or(ScheduleMode::kTuned);
  STINT_ASSIGN_OR_RETURN(Session real,
                         Session::Create(model, runtime, options));
  options.lab.null_kernels = true;
  STINT_ASSIGN_OR_RETURN(Session empty,
                         Session::Create(model, runtime, options));
  options.profile = true;
  STINT_ASSIGN_OR_RETURN(Session counted,
                         Session::Create(model, runtime, options));
  std::vector<Value> outputs;
  STINT_RETURN_IF_ERROR(counted.RunInto(inputs, &outputs));
  Tax tax{sizes.batch, sizes.sequence, counted.StepTimes().size(), 0, 0};
  std::vector<double> null_ms;
  std::vector<double> run_ms;
  const Stopwatch total;
  while (null_ms.size() < 5 || total.wall_ms() < bench.seconds * 1e3) {
    for (Session* session : {&empty, &real}) {
      const Stopwatch watch;
      STINT_RETURN_IF_ERROR(session->RunInto(inputs, &outputs));
      (session == &empty ? null_ms : run_ms).push_back(watch.wall_ms());
    }
  }
  tax.null_us = Median(null_ms) * 1e3;
  tax.run_us = Median(run_ms) * 1e3;
  return tax;
}

Table ToTable(const std::vector<Tax>& rows, int threads) {
  Table table;
  table.columns = {"batch",   "seq",    "threads",     "steps",
                   "null_us", "run_us", "ns_per_step", "share"};
  for (const Tax& tax : rows) {
    table.rows.push_back({tax.batch, tax.sequence, threads, tax.steps,
                          tax.null_us, tax.run_us, tax.ns_per_step(),
                          tax.share()});
  }
  return table;
}

}  // namespace

int BenchTax(const BenchOptions& bench, const RunOptions& run) {
  const auto model = ImportModel(bench.model);
  if (!model.ok()) return Fail(model.status());
  std::vector<Tax> rows;
  const std::vector<int64_t> sequences =
      bench.sequences.empty() ? std::vector<int64_t>{128} : bench.sequences;
  const std::vector<int64_t> batches =
      bench.batches.empty() ? std::vector<int64_t>{1} : bench.batches;
  for (int64_t batch : batches) {
    for (int64_t sequence : sequences) {
      const auto tax =
          MeasureTax(*model, bench, run, {batch, sequence, bench.input_shapes});
      if (!tax.ok()) return Fail(tax.status());
      rows.push_back(*tax);
    }
  }
  const Table table = ToTable(rows, run.ThreadCount());
  PrintResult(run.format, {{"rows", RowsJson(table)}}, table);
  return kExitOk;
}

}  // namespace stint::cli

#include "cli/commands/bench/bench_tax.h"

#include "core/meter/statistics.h"
#include "core/meter/stopwatch.h"
#include "lab/peers/make_inputs.h"

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
  options.precision = bench.precisions[0];
  options.primitive = bench.primitive;
  options.schedule = bench.schedule;
  STINT_ASSIGN_OR_RETURN(Session real,
                         Session::Create(model, runtime, options));
  options.null_kernels = true;
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

void PrintTable(const std::vector<Tax>& rows, int threads) {
  Print("%6s %6s %6s %12s %12s %12s %8s  (threads %d)\n", "batch", "seq",
        "steps", "null us", "run us", "ns per step", "share", threads);
  for (const Tax& tax : rows) {
    Print("%6lld %6lld %6zu %12.2f %12.1f %12.0f %7.2f%%\n",
          static_cast<long long>(tax.batch),
          static_cast<long long>(tax.sequence), tax.steps, tax.null_us,
          tax.run_us, tax.ns_per_step(), tax.share() * 100);
  }
}

Json ToJson(const std::vector<Tax>& rows, int threads) {
  Json list = Json::array();
  for (const Tax& tax : rows) {
    list.push_back({{"batch", tax.batch},
                    {"seq", tax.sequence},
                    {"threads", threads},
                    {"steps", tax.steps},
                    {"null_us", tax.null_us},
                    {"run_us", tax.run_us},
                    {"ns_per_step", tax.ns_per_step()},
                    {"share", tax.share()}});
  }
  return {{"rows", list}};
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
  if (run.json()) {
    PrintJson(ToJson(rows, run.ThreadCount()));
  } else {
    PrintTable(rows, run.ThreadCount());
  }
  return kExitOk;
}

}  // namespace stint::cli

#include <cstdio>

#include "cli/commands/device/device_parts.h"
#include "cli/terminal/progress.h"
#include "core/platform/cache_folder.h"
#include "engine/device/conv_cost_file.h"
#include "engine/device/sparse_costs.h"
#include "engine/profile/tune_convolutions.h"
#include "kernels/conv_sparse_f32/conv_sparse_f32.h"
#include "lab/peers/make_inputs.h"
#include "lab/report/report.h"
#include "weights/package/package.h"

namespace stint::cli {
namespace {

Result<std::vector<TunedLayer>> Tune(const TuneRequest& request,
                                     const RunOptions& run, ConvCosts* costs) {
  STINT_ASSIGN_OR_RETURN(const Model opened, ImportModel(request.model));
  STINT_ASSIGN_OR_RETURN(const Model model, opened.Restored());
  STINT_ASSIGN_OR_RETURN(
      const auto named,
      MakeInputs(model, {.batch = request.batch, .sequence = 128}, 1));
  std::vector<Value> inputs;
  for (const NamedValue& input : named) inputs.push_back(input.value);
  ThreadPool pool(run.ThreadCount());
  Progress progress("tune");
  TuneOptions options;
  options.site = {run.IsaCap(), run.ThreadCount()};
  options.pool = &pool;
  options.progress = [&](int64_t done, int64_t total) {
    progress.Update(done, total);
  };
  return TuneConvolutions(*model.package()->graph, inputs, options, costs);
}

double DefaultUs(const TunedLayer& layer,
                 const std::vector<PrimitiveCost>& times) {
  for (const PrimitiveCost& cost : times) {
    if (cost.primitive == layer.default_primitive) return cost.us;
  }
  return 0;
}

Json ToJson(const std::vector<TunedLayer>& layers, const ConvCosts& costs) {
  Json rows = Json::array();
  for (const TunedLayer& layer : layers) {
    Json times;
    for (const PrimitiveCost& cost : *costs.Find(layer.layer)) {
      times[cost.primitive] = cost.us;
    }
    Json even;
    Json first;
    for (int rows_of : kSparseRows) {
      const auto share = SparseBreakEven(*costs.Find(layer.layer), rows_of);
      if (!share) continue;
      const std::string name = std::to_string(rows_of) + "x1";
      even[name] = share->zeros;
      first[name] = SparseGatherName(share->gather);
    }
    rows.push_back({{"layer", layer.layer},
                    {"count", layer.count},
                    {"default", layer.default_primitive},
                    {"times_us", times},
                    {"sparse_break_even", even},
                    {"sparse_primitive", first}});
  }
  return {{"layers", rows}};
}

// From which share of zeros on sparse weights pay: "4x1 70 % (gather)".
std::string BreakEvenText(const std::vector<PrimitiveCost>& times) {
  std::string text;
  for (int rows : kSparseRows) {
    const auto share = SparseBreakEven(times, rows);
    if (!share) continue;
    char part[32];
    std::snprintf(part, sizeof(part), "%s%dx1 %.0f %%",
                  text.empty() ? "" : ", ", rows, 100 * share->zeros);
    text += part + (" (" + std::string(SparseGatherName(share->gather)) + ")");
  }
  return text;
}

// "direct 12 us, winograd4 9 us".
std::string TimesText(const std::vector<PrimitiveCost>& times) {
  std::string text;
  for (const PrimitiveCost& cost : times) {
    if (cost.primitive.starts_with("sparse")) continue;
    char us[32];
    std::snprintf(us, sizeof(us), " %.0f us", cost.us);
    text += (text.empty() ? "" : ", ") + cost.primitive + us;
  }
  return text;
}

ReportSection Section(const std::vector<TunedLayer>& layers,
                      const ConvCosts& costs) {
  double before = 0;
  double after = 0;
  Table table;
  table.columns = {"count", "layer", "default", "times",
                   "sparse pays from zeros"};
  for (const TunedLayer& layer : layers) {
    const std::vector<PrimitiveCost>& times = *costs.Find(layer.layer);
    before += layer.count * DefaultUs(layer, times);
    after += layer.count * FastestDense(times)->us;
    table.rows.push_back({layer.count, layer.layer, layer.default_primitive,
                          TimesText(times), BreakEvenText(times)});
  }
  ReportSection section;
  section.findings = {
      std::to_string(layers.size()) +
      " layers of more than one primitive: " + FormatMs(before * 1e-3) +
      " by default, " + FormatMs(after * 1e-3) + " by the fastest"};
  section.figures.push_back({"", "", {}, std::move(table)});
  return section;
}

}  // namespace

int TuneModel(const TuneRequest& request, const RunOptions& run) {
  const std::string folder = CacheFolder();
  ConvCosts costs;
  const auto known = LoadConvCosts(folder, run.IsaCap(), run.ThreadCount());
  if (known.ok()) {
    costs = **known;
  } else if (known.status().code() != StatusCode::kNotFound) {
    PrintError("stint: %s; starting anew\n", known.status().message().c_str());
  }
  const auto layers = Tune(request, run, &costs);
  if (!layers.ok()) return Fail(layers.status());
  const Status saved =
      SaveConvCosts(folder, run.IsaCap(), run.ThreadCount(), costs);
  if (!saved.ok()) return Fail(saved);
  PrintResult(run.format, ToJson(*layers, costs), Section(*layers, costs));
  return kExitOk;
}

}  // namespace stint::cli

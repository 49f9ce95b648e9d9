#include "api/convert/choose_integers.h"

#include "convert/compress/integers/integer_chains.h"
#include "convert/compress/integers/measure_integers.h"

namespace stint {
namespace {

std::set<std::string> AllConvolutions(const Graph& graph) {
  std::set<std::string> names;
  for (NodeId id : FindConvolutions(graph)) names.insert(graph.node(id).name);
  return names;
}

Result<std::set<std::string>> MeasureLayers(const CompressOptions& options,
                                            const Package& package,
                                            const Samples& samples,
                                            ThreadPool* pool,
                                            CompressReport* report) {
  RuntimeOptions where = options.measured_on;
  where.memory_bytes = 0;
  STINT_ASSIGN_OR_RETURN(const Runtime runtime, Runtime::Create(where));
  STINT_ASSIGN_OR_RETURN(const MeasuredIntegers measured,
                         MeasureIntegers(package, samples, runtime, pool));
  report->integer_times = {runtime.isa(), runtime.threads(), measured.float_ms,
                           measured.every_ms, measured.int8_ms};
  for (const IntegerGain& gain : measured.gains) {
    report->integer_layers.push_back(
        {gain.layer, gain.pays, gain.reason, gain.float_us, gain.int8_us});
    report->float_convolutions += !gain.pays;
  }
  return measured.layers;
}

}  // namespace

Result<std::set<std::string>> ChooseIntegers(const CompressOptions& options,
                                             const Package& package,
                                             const Samples& samples,
                                             ThreadPool* pool,
                                             CompressReport* report) {
  switch (options.integer_layers) {
    case IntegerLayers::kMeasured:
      return MeasureLayers(options, package, samples, pool, report);
    case IntegerLayers::kByRule:
      return std::set<std::string>();
    case IntegerLayers::kAll:
      return AllConvolutions(*package.graph);
  }
  return InternalError("IntegerLayers has no such value");
}

void NoteFloats(const QuantizedLayers& layers, CompressReport* report) {
  if (report->integer_times) return;
  const auto note = [&](const std::set<std::string>& names,
                        const std::string& reason) {
    for (const std::string& name : names) {
      ++report->float_convolutions;
      report->integer_layers.push_back({name, false, reason, 0, 0});
    }
  };
  note(layers.left_in_float, "alone between operators in float");
  note(layers.without_codes, "of a single pixel");
}

}  // namespace stint

#include "api/convert/measure_ranges.h"

#include "convert/evaluate/evaluate_data.h"
#include "engine/calibrate/calibration.h"
#include "engine/lower/lower_graph.h"

namespace stint {

Status MeasureRanges(const CalibrationData& data, int threads,
                     Package* package) {
  Graph* graph = package->graph.get();
  SetRanges(ActivationRanges(graph->num_values()), graph);
  if (!NeedsRanges(*graph, Precision::kInt8)) {
    return InvalidArgument(
        "the model has no convolutions: there is nothing to calibrate");
  }
  ThreadPool pool(threads);
  const KernelSite site{DetectIsa(), threads};
  STINT_ASSIGN_OR_RETURN(const auto calibration,
                         Calibration::Create(*graph, site, &pool));
  EvalOptions options;
  options.task = data.task;
  options.data = data.data;
  options.max_rows = data.rows;
  options.image = package->preprocessing.value_or(Preprocessing{});
  const auto run = [&](const std::vector<Value>& inputs,
                       std::vector<Value>* outputs) {
    const ThreadPool::Run awake(&pool);
    return calibration->runner()->RunInto(inputs, outputs);
  };
  STINT_RETURN_IF_ERROR(EvaluateData({package, run}, options).status());
  SetRanges(calibration->Ranges(), graph);
  return OkStatus();
}

}  // namespace stint

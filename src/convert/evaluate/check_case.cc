#include "convert/evaluate/check_case.h"

#include <algorithm>
#include <functional>

#include "convert/data/npy.h"
#include "convert/onnx/import.h"
#include "convert/onnx/tensor_reader.h"
#include "convert/passes/pipeline.h"
#include "core/platform/file.h"
#include "engine/lower/lower_graph.h"
#include "engine/nodes/evaluate_now.h"
#include "engine/opencl/opencl_runner.h"
#include "engine/run/graph_runner.h"
#include "engine/run/step_choices.h"

namespace stint {
namespace {

onnx::TypeProto ProtoKindOf(const ValueType& type) {
  onnx::TypeProto proto;
  switch (type.kind) {
    case Value::Kind::kTensor:
      proto.kind = onnx::TypeProto::Kind::kTensor;
      break;
    case Value::Kind::kSequence:
      proto.kind = onnx::TypeProto::Kind::kSequence;
      break;
    case Value::Kind::kOptional:
      proto.kind = onnx::TypeProto::Kind::kOptional;
      break;
  }
  return proto;
}

// PREFIX.pb or PREFIX.npy.
Result<Value> ReadStored(const std::string& prefix, const ValueType& type) {
  if (FileExists(prefix + ".npy")) {
    STINT_ASSIGN_OR_RETURN(Tensor tensor, ReadNpy(prefix + ".npy"));
    return Value(std::move(tensor));
  }
  return onnx::ReadValueFile(prefix + ".pb", ProtoKindOf(type));
}

// The input that the ONNX backend tests generate for light models: i / count.
Result<Value> LightInput(const ValueType& type) {
  if (!type.IsConcrete() || type.dtype != DType::kFloat32) {
    return Unsupported("a light model whose input is not a fixed float32");
  }
  STINT_ASSIGN_OR_RETURN(Tensor tensor,
                         Tensor::Allocate(type.dtype, type.dims));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(
        static_cast<double>(i) / static_cast<double>(tensor.size()));
  }
  return Value(std::move(tensor));
}

struct DataSet {
  std::vector<Value> inputs;
  std::vector<Value> outputs;
};

Result<DataSet> ReadDataSet(const Graph& graph, const std::string& folder) {
  DataSet data;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(
        Value value, ReadStored(JoinPath(folder, "input_" + std::to_string(i)),
                                graph.value(graph.inputs()[i]).type));
    data.inputs.push_back(std::move(value));
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    STINT_ASSIGN_OR_RETURN(
        Value value, ReadStored(JoinPath(folder, "output_" + std::to_string(i)),
                                graph.value(graph.outputs()[i]).type));
    data.outputs.push_back(std::move(value));
  }
  return data;
}

Result<std::vector<DataSet>> ReadDataSets(const Graph& graph,
                                          const CheckCase& test) {
  std::vector<DataSet> sets;
  if (test.light) {
    DataSet data;
    for (ValueId id : graph.inputs()) {
      STINT_ASSIGN_OR_RETURN(Value value, LightInput(graph.value(id).type));
      data.inputs.push_back(std::move(value));
    }
    const std::string stem = test.model.substr(0, test.model.size() - 5);
    STINT_ASSIGN_OR_RETURN(Tensor expected,
                           onnx::ReadTensorFile(stem + "_output_0.pb"));
    data.outputs.push_back(std::move(expected));
    sets.push_back(std::move(data));
    return sets;
  }
  const std::string folder = DirectoryOf(test.model);
  for (int i = 0;; ++i) {
    const std::string set =
        JoinPath(folder, "test_data_set_" + std::to_string(i));
    if (!DirectoryExists(set)) break;
    STINT_ASSIGN_OR_RETURN(DataSet data, ReadDataSet(graph, set));
    sets.push_back(std::move(data));
  }
  if (sets.empty()) return NotFound(folder + ": no test_data_set_0");
  return sets;
}

// The name of an op whose outputs are random numbers, anywhere in the graph.
std::string_view RandomOpIn(const Graph& graph) {
  for (NodeId id : graph.order()) {
    const Op& op = graph.node(id).op;
    if (IsRandom(op)) return OpName(op);
  }
  return "";
}

// Runs one data set; what was chosen for its steps goes to `result`.
using RunFunction =
    std::function<Result<std::vector<Value>>(const std::vector<Value>& inputs)>;

// The worst error.
Result<double> CompareDataSets(const Graph& graph,
                               const std::vector<DataSet>& sets,
                               const Tolerance& tolerance,
                               const RunFunction& run) {
  double worst = 0;
  for (const DataSet& data : sets) {
    STINT_ASSIGN_OR_RETURN(const auto outputs, run(data.inputs));
    for (size_t i = 0; i < data.outputs.size(); ++i) {
      auto error = CompareValues(outputs[i], data.outputs[i], tolerance);
      if (!error.ok() && !RandomOpIn(graph).empty()) {
        return Unsupported("random numbers of " +
                           std::string(RandomOpIn(graph)) +
                           " cannot be compared");
      }
      if (!error.ok()) {
        return error.status().Annotate(
            "output '" + graph.value(graph.outputs()[i]).name + "'");
      }
      worst = std::max(worst, *error);
    }
  }
  return worst;
}

// The worst error; what was chosen for its steps goes to `result`, too.
Result<double> RunDataSets(const CheckCase& test, const Tolerance& tolerance,
                           const CheckSite& site, CheckResult* result) {
  STINT_ASSIGN_OR_RETURN(const auto graph, ImportOnnx(test.model));
  STINT_ASSIGN_OR_RETURN(const auto sets, ReadDataSets(*graph, test));
  STINT_RETURN_IF_ERROR(RunPasses(graph.get()).status());
  if (site.opencl != nullptr) {
    OpenClRunner runner(graph.get(), site.opencl, site.kernels, site.pool);
    return CompareDataSets(
        *graph, sets, tolerance,
        [&](const auto& inputs) -> Result<std::vector<Value>> {
          std::vector<Value> outputs;
          STINT_RETURN_IF_ERROR(runner.RunInto(inputs, &outputs));
          return outputs;
        });
  }
  STINT_ASSIGN_OR_RETURN(const auto lowered, LowerGraph(*graph, site.kernels));
  GraphRunner runner(lowered.get(), site.kernels, site.pool);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  return CompareDataSets(*graph, sets, tolerance, [&](const auto& inputs) {
    auto outputs = runner.Run(inputs);
    result->choices = StepChoicesOf(runner);
    return outputs;
  });
}

void AddLightModels(const std::string& folder,
                    const std::vector<std::string>& names,
                    std::vector<CheckCase>* cases) {
  for (const std::string& name : names) {
    if (!name.ends_with(".onnx")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::string path = JoinPath(folder, name);
    if (FileExists(JoinPath(folder, stem + "_output_0.pb"))) {
      cases->push_back({stem, path, true});
    }
  }
}

}  // namespace

std::string_view OutcomeName(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::kPassed:
      return "passed";
    case CheckOutcome::kFailed:
      return "failed";
    case CheckOutcome::kUnsupported:
      return "unsupported";
    case CheckOutcome::kError:
      return "error";
  }
  return "";
}

Result<std::vector<CheckCase>> FindCases(const std::string& path) {
  std::vector<CheckCase> cases;
  const std::string model = JoinPath(path, "model.onnx");
  if (FileExists(model)) {
    cases.push_back({BaseName(path), model, false});
    return cases;
  }
  STINT_ASSIGN_OR_RETURN(const auto names, ListDirectory(path));
  AddLightModels(path, names, &cases);
  for (const std::string& name : names) {
    const std::string folder = JoinPath(path, name);
    if (FileExists(JoinPath(folder, "model.onnx"))) {
      cases.push_back({name, JoinPath(folder, "model.onnx"), false});
    }
  }
  if (cases.empty()) {
    return NotFound(path + ": no model.onnx and no folders that have one");
  }
  return cases;
}

CheckResult RunCase(const CheckCase& test, const Tolerance& tolerance,
                    const CheckSite& site) {
  CheckResult result;
  const auto error = RunDataSets(test, tolerance, site, &result);
  if (error.ok()) {
    result.max_abs_error = *error;
    return result;
  }
  result.reason = error.status().message();
  switch (error.status().code()) {
    case StatusCode::kMismatch:
      result.outcome = CheckOutcome::kFailed;
      break;
    case StatusCode::kUnsupported:
      result.outcome = CheckOutcome::kUnsupported;
      break;
    default:
      result.outcome = CheckOutcome::kError;
  }
  return result;
}

}  // namespace stint

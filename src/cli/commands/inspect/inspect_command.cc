// stint inspect: what is in a model.

#include <CLI/CLI.hpp>
#include <map>

#include "cli/commands/commands.h"
#include "cli/commands/inspect/inspect_parts.h"
#include "cli/options/run_options.h"
#include "core/platform/file.h"
#include "engine/lower/lower_graph.h"
#include "engine/run/graph_runner.h"
#include "engine/run/zero_inputs.h"
#include "lab/record/model_record.h"
#include "weights/store/package_file.h"

namespace stint::cli {
namespace {

struct InspectOptions {
  ModelOptions model;
  RunOptions run;
  bool graph = false;
  bool stages = false;
  bool kernels = false;
  std::string after;
  std::string importance;  // file for a picture; empty: none
  int64_t batch = 1;
  int64_t sequence = 128;
};

struct Summary {
  int64_t parameters = 0;
  int64_t weight_bytes = 0;
  std::map<std::string, int64_t> operators;
  int64_t nodes = 0;
};

void Count(const Graph& graph, Summary* summary) {
  for (size_t i = 0; i < graph.num_values(); ++i) {
    const GraphValue& value = graph.value({static_cast<int32_t>(i)});
    if (!value.constant || !IsFloat(value.constant->dtype())) continue;
    summary->parameters += value.constant->size();
    summary->weight_bytes += static_cast<int64_t>(value.constant->bytes());
  }
  for (NodeId id : graph.order()) {
    ++summary->nodes;
    ++summary->operators[std::string(OpName(graph.node(id).op))];
  }
  for (size_t i = 0; i < graph.num_subgraphs(); ++i) {
    Count(graph.subgraph({static_cast<int32_t>(i)}), summary);
  }
}

Result<GraphRunner::Cost> MeasureCost(const Package& package,
                                      const InspectOptions& options) {
  ThreadPool pool(1);
  const KernelSite site{DetectIsa()};
  STINT_ASSIGN_OR_RETURN(const auto graph, LowerGraph(*package.graph, site));
  GraphRunner runner(graph.get(), site, &pool);
  runner.set_packed(&package.packed);
  STINT_RETURN_IF_ERROR(runner.Prepare());
  STINT_ASSIGN_OR_RETURN(const auto inputs,
                         ZeroInputs(*graph, {.batch = options.batch,
                                             .sequence = options.sequence}));
  return runner.CostFor(inputs);
}

Json Describe(const ValueInfo& info) {
  Json shape = Json::array();
  for (size_t d = 0; d < info.shape.size(); ++d) {
    if (info.dim_names[d].empty()) {
      shape.push_back(info.shape[d]);
    } else {
      shape.push_back(info.dim_names[d]);
    }
  }
  return {{"name", info.name},
          {"type", std::string(DTypeName(info.dtype))},
          {"shape", std::move(shape)}};
}

Json Report(const Model& model, const Summary& summary,
            const Result<GraphRunner::Cost>& cost) {
  Json json;
  for (const ValueInfo& info : model.inputs()) {
    json["inputs"].push_back(Describe(info));
  }
  for (const ValueInfo& info : model.outputs()) {
    json["outputs"].push_back(Describe(info));
  }
  json["parameters"] = summary.parameters;
  json["weight_bytes"] = summary.weight_bytes;
  AddRecord(InspectRecord{cost.ok() ? std::optional(cost->macs) : std::nullopt},
            &json);
  json["activation_bytes"] =
      cost.ok() ? Json(cost->activation_bytes) : Json(nullptr);
  json["nodes"] = summary.nodes;
  json["operators"] = summary.operators;
  return json;
}

// Where the bytes of a .stint file are: its sections, and its packed weights by
// layout.
Status AddFile(const std::string& path, const Package& package, Json* json) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  STINT_ASSIGN_OR_RETURN(const auto sections,
                         store::ReadSections(file->bytes()));
  for (const store::Section& section : sections) {
    (*json)["sections"].push_back(
        {{"name", store::SectionName(section.kind)}, {"bytes", section.bytes}});
  }
  std::map<std::string, size_t> layouts;
  for (const auto& [node, packed] : package.packed) {
    for (const Tensor& part : packed.parts) {
      layouts[packed.layout] += part.bytes();
    }
  }
  (*json)["layouts"] = Json::array();
  for (const auto& [name, bytes] : layouts) {
    (*json)["layouts"].push_back({{"name", name}, {"bytes", bytes}});
  }
  (*json)["shards"] = 0;
  if (package.shards != nullptr) {
    AddShards(package.shards->catalog, json);
  }
  return OkStatus();
}

void PrintBytes(const char* title, const Json& entries) {
  for (const Json& entry : entries) {
    Print("%-11s %s: %s\n", title, entry["name"].get<std::string>().c_str(),
          FormatBytes(entry["bytes"].get<int64_t>()).c_str());
  }
}

void PrintValues(const char* title, const Json& values) {
  for (const Json& value : values) {
    std::string shape;
    for (const Json& dim : value["shape"]) {
      shape += (shape.empty() ? "" : ",") +
               (dim.is_string() ? dim.get<std::string>()
                                : std::to_string(dim.get<int64_t>()));
    }
    Print("%-11s %s: %s[%s]\n", title, value["name"].get<std::string>().c_str(),
          value["type"].get<std::string>().c_str(), shape.c_str());
  }
}

void PrintTable(const Json& json, const InspectOptions& options,
                const Result<GraphRunner::Cost>& cost) {
  PrintValues("input", json["inputs"]);
  PrintValues("output", json["outputs"]);
  Print("%-11s %.2f M (%s)\n", "parameters",
        json["parameters"].get<double>() * 1e-6,
        FormatBytes(json["weight_bytes"].get<int64_t>()).c_str());
  if (cost.ok()) {
    Print("%-11s %.3f G (batch %lld, sequence %lld)%s\n", "MACs",
          static_cast<double>(cost->macs) * 1e-9,
          static_cast<long long>(options.batch),
          static_cast<long long>(options.sequence),
          cost->unsettled_steps > 0 ? ", without data-dependent steps" : "");
    Print("%-11s %s\n", "activations",
          FormatBytes(cost->activation_bytes).c_str());
  } else {
    Print("%-11s not known: %s\n", "MACs", cost.status().message().c_str());
  }
  if (json.contains("sections")) {
    PrintBytes("section", json["sections"]);
    PrintBytes("layout", json["layouts"]);
  }
  if (json.contains("elastic")) {
    PrintShards(json["elastic"]);
  }
  Print("%-11s %lld\n", "nodes", json["nodes"].get<long long>());
  for (const auto& [name, count] : json["operators"].items()) {
    Print("%11s %s\n", std::to_string(count.get<int64_t>()).c_str(),
          name.c_str());
  }
}

int ShowImportance(const Model& model, const InspectOptions& options) {
  const auto& shards = model.package()->shards;
  const bool measured =
      shards != nullptr && shards->catalog.importance != ImportanceKind::kNone;
  if (measured && !options.run.json()) {
    PrintText(ImportanceText(shards->catalog));
  }
  if (options.importance.empty()) return kExitOk;
  if (!measured) {
    return Fail(NotFound(options.model.path +
                         ": importance was not measured; `stint pack "
                         "--calibrate` does"));
  }
  const Status written =
      WriteFileAtomically(options.importance, ImportanceSvg(shards->catalog));
  return written.ok() ? kExitOk : Fail(written);
}

int RunInspect(const InspectOptions& options) {
  const bool listed = options.stages || options.kernels;
  const std::string& format = options.run.format;
  if (!listed && (format == "csv" || format == "md")) {
    PrintError("stint: --format %s is for --stages and --kernels\n",
               format.c_str());
    return kExitUsage;
  }
  if (options.stages || !options.after.empty()) {
    return InspectStages(options.model, options.after, options.run.format);
  }
  if (options.kernels) {
    return InspectKernels(options.model, options.run,
                          {options.batch, options.sequence});
  }
  ImportOptions import = options.model.import;
  import.optimize = false;
  const auto model = ImportModel(options.model.path, import);
  if (!model.ok()) return Fail(model.status());
  if (options.graph) {
    Print("%s", model->Dump().c_str());
    return kExitOk;
  }
  const Graph& graph = *model->package()->graph;
  Summary summary;
  Count(graph, &summary);
  const auto restored = model->Restored();
  if (!restored.ok()) return Fail(restored.status());
  const auto cost = MeasureCost(*restored->package(), options);
  Json json = Report(*model, summary, cost);
  if (IsPackageFile(options.model.path)) {
    const Status status = AddFile(options.model.path, *model->package(), &json);
    if (!status.ok()) return Fail(status);
  }
  if (options.run.json()) {
    PrintJson(json);
  } else {
    PrintTable(json, options, cost);
  }
  return ShowImportance(*model, options);
}

}  // namespace

void AddInspectCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app->add_subcommand("inspect", "Show what is in a model");
  command->footer(
      "Examples:\n"
      "  stint inspect model.onnx\n"
      "  stint inspect all-MiniLM-L6-v2/ --seq 64 --format json\n"
      "  stint inspect minilm.stint           # bytes and distortion of "
      "shards\n"
      "  stint inspect model.onnx --graph     # every value and node\n"
      "  stint inspect model.onnx --stages    # what each pass does\n"
      "  stint inspect model.onnx --after fuse-conv  # the graph after a pass\n"
      "  stint inspect model.onnx --kernels   # what computes each layer, why");
  options->model.AddTo(command);
  command->add_flag("--graph", options->graph, "List every value and node");
  command->add_option("--importance", options->importance,
                      "Write the importance of each shard as F.svg");
  command->add_flag("--stages", options->stages, "List what each pass changes");
  command->add_flag("--kernels", options->kernels,
                    "Run once and list what was chosen for each layer, why and "
                    "how long it took");
  command->add_option("--after", options->after,
                      "List the graph as this pass leaves it");
  command->add_option("--batch", options->batch, "Size of batch dimensions")
      ->check(CLI::Range(1, 65536));
  command->add_option("--seq", options->sequence, "Size of sequence dimensions")
      ->check(CLI::Range(1, 65536));
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  options->run.AddPrecisionTo(command);
  options->run.AddPrimitiveTo(command);
  options->run.AddDeviceTo(command);
  command->callback(
      [options, exit_code] { *exit_code = RunInspect(*options); });
}

}  // namespace stint::cli

// stint compress: a model pruned, in narrow numbers, or both.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/options/calibrate_options.h"
#include "cli/options/image_options.h"
#include "cli/options/run_options.h"
#include "core/base/quantity.h"
#include "core/platform/clock.h"
#include "core/platform/memory/memory.h"
#include "lab/record/model_record.h"
#include "stint/compress.h"

namespace stint::cli {
namespace {

struct CompressCommandOptions {
  ModelOptions model;
  CompressOptions compress;
  ImageOptions image;
  CalibrateOptions data;
  RunOptions run;
  std::string output;
};

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

Json LayersJson(const CompressReport& report) {
  Json layers = Json::array();
  for (const CompressedLayer& layer : report.layers) {
    layers.push_back({{"name", layer.name},
                      {"weights_before", layer.weights_before},
                      {"weights", layer.weights},
                      {"zeros", layer.zeros}});
  }
  return layers;
}

Json RepairJson(const RepairReport& repair) {
  Json layers = Json::array();
  for (const RepairedLayer& layer : repair.layers) {
    Json one = {{"name", layer.name}, {"kept", layer.kept}};
    if (layer.reason.empty()) {
      one["distance_before"] = layer.distance_before;
      one["distance_after"] = layer.distance_after;
    } else {
      one["reason"] = layer.reason;
    }
    layers.push_back(std::move(one));
  }
  return {{"rows", repair.rows},
          {"held_back_rows", repair.held_back_rows},
          {"distance_before", repair.distance_before},
          {"distance_after", repair.distance_after},
          {"given_up", repair.given_up},
          {"layers", std::move(layers)}};
}

// Layers whose repair was dropped, then the network as a whole.
void PrintRepair(const CompressReport& report) {
  const RepairReport& repair = *report.repair;
  for (const RepairedLayer& layer : repair.layers) {
    if (layer.kept) continue;
    if (!layer.reason.empty()) {
      Print("  %s: not repaired: %s\n", layer.name.c_str(),
            layer.reason.c_str());
    } else {
      Print("  %s: repair dropped: %.4f from the original, without %.4f\n",
            layer.name.c_str(), layer.distance_after, layer.distance_before);
    }
  }
  if (repair.given_up) {
    Print("repair given up: ");
  } else {
    Print("%d layers repaired by data: ", report.repaired_layers);
  }
  Print(
      "outputs of %lld rows held back are %.4f from the original, "
      "unrepaired %.4f\n",
      static_cast<long long>(repair.held_back_rows), repair.distance_after,
      repair.distance_before);
}

// How many convolutions stay in float, by reason.
std::map<std::string, int> FloatReasons(const CompressReport& report) {
  std::map<std::string, int> reasons;
  for (const IntegerLayer& layer : report.integer_layers) {
    if (!layer.int8) ++reasons[layer.reason];
  }
  return reasons;
}

void PrintIntegers(const CompressReport& report) {
  Print("%d convolutions in int8, %d in float\n", report.quantized_convolutions,
        report.float_convolutions);
  for (const auto& [reason, layers] : FloatReasons(report)) {
    Print("  %d: %s\n", layers, reason.c_str());
  }
  if (!report.integer_times) return;
  const IntegerTimes& times = *report.integer_times;
  Print("a run in %s, %d threads: %.3f ms, in float %.3f, all in int8 %.3f\n",
        std::string(IsaName(times.isa)).c_str(), times.threads, times.int8_ms,
        times.float_ms, times.every_ms);
}

Json IntegersJson(const CompressReport& report) {
  Json layers = Json::array();
  for (const IntegerLayer& layer : report.integer_layers) {
    Json one = {{"name", layer.name}, {"int8", layer.int8}};
    if (!layer.int8) one["reason"] = layer.reason;
    if (report.integer_times) {
      one["float_us"] = layer.float_us;
      one["int8_us"] = layer.int8_us;
    }
    layers.push_back(std::move(one));
  }
  Json json = {{"layers", std::move(layers)}};
  if (report.integer_times) {
    json["isa"] = IsaName(report.integer_times->isa);
    json["threads"] = report.integer_times->threads;
    json["float_ms"] = report.integer_times->float_ms;
    json["every_ms"] = report.integer_times->every_ms;
    json["int8_ms"] = report.integer_times->int8_ms;
  }
  return json;
}

void PrintTable(const std::string& path, int64_t bytes,
                const CompressReport& report) {
  Print("%s: %s, %lld of %lld parameters", path.c_str(),
        FormatBytes(bytes).c_str(), static_cast<long long>(report.parameters),
        static_cast<long long>(report.parameters_before));
  int64_t weights = 0;
  for (const CompressedLayer& layer : report.layers) weights += layer.weights;
  if (report.zeros > 0) {
    Print(", %.1f %% of weights are 0", 100 * Share(report.zeros, weights));
  }
  Print("\n");
  if (report.channels_before > 0) {
    Print("%lld of %lld channels remain, %lld of them cannot be pruned\n",
          static_cast<long long>(report.channels),
          static_cast<long long>(report.channels_before),
          static_cast<long long>(report.channels_fixed));
    for (const auto& [holder, channels] : report.channels_held) {
      Print("  %lld are kept by %s\n", static_cast<long long>(channels),
            holder.c_str());
    }
  }
  if (report.repair) PrintRepair(report);
  if (report.quantized_convolutions > 0) PrintIntegers(report);
}

// As ONNX, or as a package where the name says .stint: an elastic one where
// weights are to be codes.
Result<int64_t> Write(const Model& model, const CompressOptions& options,
                      const std::string& path) {
  if (!path.ends_with(".stint")) {
    STINT_ASSIGN_OR_RETURN(const ExportReport report, ExportOnnx(model, path));
    return report.bytes;
  }
  STINT_ASSIGN_OR_RETURN(const Model optimized, OptimizeModel(model));
  PackOptions pack;
  pack.bits = options.quantize == QuantizeKind::kCodes ? options.bits : 32;
  STINT_ASSIGN_OR_RETURN(const PackReport report,
                         PackModel(optimized, path, pack));
  return report.bytes;
}

// Whoever asks for two bytes a weight probably wants a smaller file.
void NotePackedHalves(const CompressOptions& options,
                      const std::string& output) {
  const bool halves = options.quantize == QuantizeKind::kFloat16 ||
                      options.quantize == QuantizeKind::kBFloat16;
  if (!halves || !output.ends_with(".stint")) return;
  PrintError(
      "stint: weights are rounded to two bytes, but a .stint file "
      "has them as kernels read them, in four; .onnx has two\n");
}

int RunCompress(const CompressCommandOptions& given) {
  const int64_t start = NowNs();
  CompressOptions options = given.compress;
  options.data = given.data.given();
  options.preprocessing = given.image.given();
  options.measured_on.threads = given.run.threads;
  options.measured_on.isa = ParseIsa(given.run.isa);
  if (options.quantize == QuantizeKind::kInt8 && !options.data) {
    PrintError(
        "stint: --quantize int8 needs --calibrate to measure the ranges of "
        "activations\n");
    return kExitUsage;
  }
  if (options.quantize == QuantizeKind::kCodes &&
      !given.output.ends_with(".stint")) {
    PrintError(
        "stint: --quantize %dbit needs an output that ends in .stint: "
        "ONNX has no bit planes\n",
        options.bits);
    return kExitUsage;
  }
  NotePackedHalves(options, given.output);
  ImportOptions import = given.model.import;
  import.optimize = false;
  const auto model = ImportModel(given.model.path, import);
  if (!model.ok()) return Fail(model.status());
  const auto compressed = CompressModel(*model, options);
  if (!compressed.ok()) {
    return Fail(compressed.status().Annotate(given.model.path));
  }
  const auto bytes = Write(compressed->model, options, given.output);
  if (!bytes.ok()) return Fail(bytes.status());
  const CompressReport& report = compressed->report;
  if (given.run.json()) {
    Json json;
    AddRecord(CompressRecord{*bytes, report.parameters_before,
                             report.parameters, report.zeros},
              &json);
    json.update({{"channels_before", report.channels_before},
                 {"channels", report.channels},
                 {"channels_fixed", report.channels_fixed},
                 {"channels_held", report.channels_held},
                 {"repaired_layers", report.repaired_layers},
                 {"quantized_convolutions", report.quantized_convolutions},
                 {"float_convolutions", report.float_convolutions},
                 {"layers", LayersJson(report)},
                 {"peak_rss_bytes", PeakResidentBytes()},
                 {"seconds", MsSince(start) * 1e-3}});
    if (report.repair) json["repair"] = RepairJson(*report.repair);
    if (!report.integer_layers.empty()) json["integers"] = IntegersJson(report);
    PrintJson(json);
  } else {
    PrintTable(given.output, *bytes, report);
  }
  return kExitOk;
}

// An option whose text `parse` puts into the options, or says why not.
void AddParsed(CLI::App* command, CompressOptions* options,
               const std::string& name, const std::string& help,
               Status (*parse)(const std::string&, CompressOptions*)) {
  command->add_option_function<std::string>(
      name,
      [=](const std::string& text) {
        const Status parsed = parse(text, options);
        if (!parsed.ok()) throw CLI::ValidationError(name, parsed.message());
      },
      help);
}

}  // namespace

void AddCompressCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<CompressCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "compress", "Prune a model, store it in narrow numbers, or both");
  command->footer(
      "Examples:\n"
      "  stint compress resnet20.onnx --prune channel:50% -o half.onnx \\\n"
      "      --calibrate data_batch_1.bin.xz --task cifar10 --scale 255\n"
      "  stint compress resnet20.onnx --quantize int8 -o bytes.onnx \\\n"
      "      --calibrate data_batch_1.bin.xz --task cifar10 --scale 255");
  options->model.AddTo(command);
  command
      ->add_option("-o,--output", options->output,
                   "The file to write: .onnx or .stint")
      ->required();
  AddParsed(command, &options->compress, "--prune",
            "magnitude:R (smallest weights of all layers), layer:R (of each "
            "layer), 4x1:R, 8x1:R, 16x1:R (blocks of outputs) become 0; "
            "channel:R (whole channels) shrinks tensors. R is 50% or 0.5",
            ParsePruning);
  AddParsed(command, &options->compress, "--quantize",
            "fp16 or bf16 (how weights are stored), int8 (convolutions that "
            "are faster so here, with --threads and --isa; int8:all, :rule; "
            "ranges :min-max, :percentile, :mse)",
            ParseQuantization);
  command
      ->add_option("--channel-multiple", options->compress.channel_multiple,
                   "Numbers of remaining channels are multiples of this")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  AddParsed(command, &options->compress, "--recover",
            "Repair after pruning with --calibrate: refit (least squares, the "
            "default), statistics (means and variances of channels), none",
            ParseRecovery);
  command->add_flag_callback(
      "--no-recover",
      [options] { options->compress.recovery = Recovery::kNone; },
      "The same as --recover none");
  command->add_option_function<std::string>(
      "--memory",
      [options](const std::string& text) {
        const auto bytes = ParseBytes(text);
        if (!bytes.ok()) {
          throw CLI::ValidationError("--memory", bytes.status().message());
        }
        options->compress.memory_bytes = *bytes;
      },
      "Most memory to work in, \"2GB\"; less takes longer (default: three "
      "times the model and 500 MB)");
  options->data.data.rows = kRepairRows;
  options->data.AddTo(command, "--calibrate",
                      "repair after pruning, ranges of activations for int8");
  options->image.AddTo(command);
  options->run.AddTo(command);
  command->callback(
      [options, exit_code] { *exit_code = RunCompress(*options); });
}

}  // namespace stint::cli

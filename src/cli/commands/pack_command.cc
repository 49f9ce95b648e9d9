// stint pack: a model as a .stint file.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/options/calibrate_options.h"
#include "cli/options/image_options.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/clock.h"
#include "lab/record/words.h"

namespace stint::cli {
namespace {

struct PackCommandOptions {
  ModelOptions model;
  PackOptions pack;
  ImageOptions image;
  CalibrateOptions calibrate;
  std::string output;
  std::string bits = "2-8";
  std::string format = "table";
};

void PrintReport(const std::string& path, const PackReport& report) {
  Print("%s: %s, ", path.c_str(), FormatBytes(report.bytes).c_str());
  if (report.packed > 0) {
    Print("weights of %lld operators in kernel layout\n",
          static_cast<long long>(report.packed));
  } else {
    Print("%lld shards in %lld layers, %lld tables of rows\n",
          static_cast<long long>(report.shards),
          static_cast<long long>(report.layers),
          static_cast<long long>(report.tables));
  }
  if (report.ranges > 0) {
    Print("ranges of %lld activations\n",
          static_cast<long long>(report.ranges));
  }
  if (report.profiled > 0) {
    Print("times of this machine at %lld lengths\n",
          static_cast<long long>(report.profiled));
  }
}

// An elastic file that gets times of this machine stays as it is otherwise.
int AddTimes(const PackCommandOptions& options) {
  const int64_t start = NowNs();
  const std::string& from = options.model.path;
  if (options.calibrate.given().has_value()) {
    return Fail(InvalidArgument(from +
                                ": is packed already: --profile adds times to "
                                "it, --calibrate needs the model itself"));
  }
  const auto report =
      ProfilePackage(from, options.output, options.pack.threads);
  if (!report.ok()) return Fail(report.status());
  if (options.format == "json") {
    PrintJson({{"bytes", report->bytes},
               {"profiled", report->shapes},
               {"seconds", MsSince(start) * 1e-3}});
  } else {
    Print("%s: %s, times of this machine at %lld lengths\n",
          options.output.c_str(), FormatBytes(report->bytes).c_str(),
          static_cast<long long>(report->shapes));
  }
  return kExitOk;
}

int RunPack(const PackCommandOptions& options) {
  if (options.pack.profile && options.bits == "32") {
    (void)Fail(
        InvalidArgument("--profile is for elastic files: a plain one (--bits "
                        "32) has no plans"));
    return kExitUsage;
  }
  const int64_t start = NowNs();
  const auto model = ImportModel(options.model.path, options.model.import);
  if (!model.ok()) return Fail(model.status());
  if (options.pack.profile && model->is_elastic()) return AddTimes(options);
  PackOptions pack = options.pack;
  pack.preprocessing = options.image.given();
  pack.calibration = options.calibrate.given();
  // "2-B" has B last.
  pack.bits = options.bits == "32" ? 32 : options.bits.back() - '0';
  const auto report = [&] {
    Progress progress("packing");
    pack.progress = [&](int64_t done, int64_t total) {
      progress.Update(done, total);
    };
    return PackModel(*model, options.output, pack);
  }();
  if (!report.ok()) return Fail(report.status());
  const double seconds = MsSince(start) * 1e-3;
  if (options.format == "json") {
    PrintJson({{"bytes", report->bytes},
               {"layers", report->layers},
               {"shards", report->shards},
               {"tables", report->tables},
               {"packed", report->packed},
               {"ranges", report->ranges},
               {"profiled", report->profiled},
               {"seconds", seconds}});
  } else {
    PrintReport(options.output, *report);
  }
  return kExitOk;
}

// Options of the plain form.
void AddPlainForm(CLI::App* command, PackOptions* pack) {
  command
      ->add_option_function<std::string>(
          "--precision",
          [pack](const std::string& name) {
            pack->precision = *ParsePrecision(name);
          },
          "Plain form: also store weights packed for this precision")
      ->check(CLI::IsMember(PrecisionWords()));
  command
      ->add_option_function<std::string>(
          "--isa",
          [pack](const std::string& name) { pack->isa = ParseIsa(name); },
          "Plain form: also store weights packed for this instruction set")
      ->check(CLI::IsMember(IsaWords()));
}

}  // namespace

void AddPackCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PackCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "pack",
      "Write a model as a .stint file, whose weights can be read in part");
  command->footer(
      "Examples:\n"
      "  stint pack all-MiniLM-L6-v2/ -o minilm.stint\n"
      "  stint pack all-MiniLM-L6-v2/ -o minilm.stint --calibrate lines.txt\n"
      "  stint pack minilm.stint -o minilm.stint --profile   # on the device\n"
      "  stint run minilm.stint --text \"a gripping, funny film\"\n"
      "  stint pack resnet20.onnx -o resnet20.stint --bits 32 \\\n"
      "      --calibrate data_batch_1.bin.xz --task cifar10 --scale 255");
  options->model.AddTo(command);
  command->add_option("-o,--output", options->output, "The file to write")
      ->required();
  command
      ->add_option("--bits", options->bits,
                   "Bits per weight: a range is the elastic form, from which a "
                   "session takes what its budget allows; 32 is the plain form")
      ->check(CLI::IsMember(
          {"2-2", "2-3", "2-4", "2-5", "2-6", "2-7", "2-8", "32"}))
      ->capture_default_str();
  command
      ->add_option("--embedding-bits", options->pack.row_bits,
                   "Bits per weight of embedding tables")
      ->check(CLI::Range(4, 8))
      ->capture_default_str();
  command
      ->add_option("--threads", options->pack.threads,
                   "Threads to use (default: all CPUs of this process)")
      ->check(CLI::Range(1, 1024));
  AddPlainForm(command, &options->pack);
  options->calibrate.AddTo(
      command, "--calibrate",
      "how much each shard of an elastic file matters, the ranges of "
      "convolutions' activations for int8");
  options->calibrate.AddLabelsTo(command);
  command->add_flag(
      "--profile", options->pack.profile,
      "Elastic form: store what layers take on this machine, so that the first "
      "session on one like it rehearses nothing; a .stint file gets that "
      "added");
  options->image.AddTo(command);
  AddFormat(command, &options->format);
  command->callback([options, exit_code] { *exit_code = RunPack(*options); });
}

}  // namespace stint::cli

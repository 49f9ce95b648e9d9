// stint pack: a model as a .stint file.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.h"
#include "cli/image_options.h"
#include "core/platform/clock.h"

namespace stint::cli {
namespace {

struct PackCommandOptions {
  ModelOptions model;
  PackOptions pack;
  ImageOptions image;
  std::string output;
  int bits = 32;
  std::string format = "table";
};

int RunPack(const PackCommandOptions& options) {
  const int64_t start = NowNs();
  const auto model = ImportModel(options.model.path, options.model.import);
  if (!model.ok()) return Fail(model.status());
  PackOptions pack = options.pack;
  pack.preprocessing = options.image.given();
  const auto report = PackModel(*model, options.output, pack);
  if (!report.ok()) return Fail(report.status());
  const double seconds = MsSince(start) * 1e-3;
  if (options.format == "json") {
    PrintJson({{"bytes", report->bytes},
               {"shards", 0},
               {"packed", report->packed},
               {"seconds", seconds}});
  } else {
    std::printf("%s: %s, weights of %lld operators in kernel layout\n",
                options.output.c_str(), FormatBytes(report->bytes).c_str(),
                static_cast<long long>(report->packed));
  }
  return kExitOk;
}

}  // namespace

void AddPackCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<PackCommandOptions>();
  CLI::App* command = app->add_subcommand(
      "pack", "Write a model as a .stint file, ready to be mapped and run");
  command->footer(
      "Examples:\n"
      "  stint pack all-MiniLM-L6-v2/ -o minilm.stint\n"
      "  stint run minilm.stint --text \"a gripping, funny film\"");
  options->model.AddTo(command);
  command->add_option("-o,--output", options->output, "The file to write")
      ->required();
  command
      ->add_option("--bits", options->bits,
                   "Bits per weight; 32 is the plain form")
      ->check(CLI::IsMember({32}));
  command
      ->add_option("--precision", options->pack.precision,
                   "Arithmetic whose kernels' layouts are stored")
      ->check(CLI::IsMember({"fp32", "bf16", "int8"}));
  command->add_option("--isa", options->pack.isa,
                      "Instruction set whose kernels' layouts are stored");
  options->image.AddTo(command);
  command->add_option("--format", options->format, "How results are printed")
      ->check(CLI::IsMember({"table", "json"}));
  command->callback([options, exit_code] { *exit_code = RunPack(*options); });
}

}  // namespace stint::cli

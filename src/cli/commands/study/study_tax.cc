// stint study framework-tax: what a runtime costs beside its kernels.

#include <CLI/CLI.hpp>

#include "cli/commands/study/study_commands.h"
#include "cli/options/run_options.h"
#include "cli/options/study_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/process.h"
#include "lab/record/words.h"
#include "lab/report/study_json.h"
#include "lab/tax/tax_study.h"

namespace stint::cli {
namespace {

struct TaxCommandOptions {
  TaxStudyOptions tax;
  RunOptions run;
  bool quick = false;
};

// Every way to run that does not compile for minutes.
const std::vector<std::string> kQuickRuntimes = {
    "onnxruntime", "openvino", "pytorch", "tensorflow", "mxnet"};
const std::vector<std::string> kAllRuntimes = {"onnxruntime",
                                               "onnxruntime-openvino",
                                               "openvino",
                                               "pytorch",
                                               "pytorch:scripted",
                                               "pytorch:compiled",
                                               "tensorflow",
                                               "tensorflow:eager",
                                               "tensorflow:xla",
                                               "mxnet",
                                               "tvm"};

int RunTax(TaxCommandOptions* options) {
  TaxStudyOptions& tax = options->tax;
  // As published: one thread, unless told otherwise.
  tax.threads = options->run.threads > 0 ? options->run.threads : 1;
  tax.isa = options->run.isa;
  tax.stint_executable = ExecutablePath();
  if (tax.peers_folder.empty()) tax.peers_folder = DefaultPeersFolder();
  if (tax.runtimes.empty()) {
    tax.runtimes = options->quick ? kQuickRuntimes : kAllRuntimes;
  }
  const Status found = FindModels(ModelNames::kFilesAndNetworks, &tax.models);
  if (!found.ok()) return Fail(found);
  FillTaxOptions(options->quick, &tax);
  NoteDatabase(tax.database);
  Progress progress("study");
  const auto report = RunTaxStudy(
      tax, [&](int64_t done, int64_t total) { progress.Update(done, total); });
  if (!report.ok()) return Fail(report.status());
  PrintResult(options->run.format, TaxJson(*report), TaxSection(*report));
  PrintCount(report->count);
  return kExitOk;
}

}  // namespace

void AddTaxStudy(CLI::App* studies, int* exit_code) {
  auto options = std::make_shared<TaxCommandOptions>();
  TaxStudyOptions* tax = &options->tax;
  CLI::App* command = studies->add_subcommand(
      "framework-tax",
      "Latency against batch in several runtimes, and what of it is not spent "
      "in kernels");
  command->footer(
      "Examples:\n"
      "  stint study framework-tax --quick --db tax.db\n"
      "  stint study framework-tax --model resnet50,my.onnx \\\n"
      "      --against onnxruntime,pytorch:compiled --batch 1,4,16,64");
  command
      ->add_option("--model", tax->models,
                   "resnet50, mobilenetv2, minilm, bert-base, "
                   "encoder-L4-H256, cnn-D8-W64 or .onnx files")
      ->delimiter(',');
  command
      ->add_option("--against", tax->runtimes,
                   "Runtimes with their modes, as pytorch:compiled")
      ->delimiter(',');
  command->add_option("--batch", tax->batches, "Batch sizes, growing")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  command
      ->add_option("--seq", tax->sequences,
                   "Sequence lengths of text models; all batches run with the "
                   "first")
      ->delimiter(',')
      ->check(CLI::Range(1, 512));
  AddInputShapes(command, &tax->input_shapes);
  command->add_option("--precision", tax->precision, "Arithmetic")
      ->check(CLI::IsMember(PrecisionWords()));
  command
      ->add_option("--delay", tax->delay_us,
                   "Microseconds per step of the known overhead that the "
                   "estimators must find")
      ->check(CLI::Range(1.0, 1e6));
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  AddPeerFlags(command, &tax->seconds, &tax->peers_folder);
  AddQuick(command, &options->quick,
           "Two models, four batches, six short rounds");
  StudyFlags::Of(tax).AddTo(command,
                            "How often each point runs, in a fresh process");
  command->callback(
      [options, exit_code] { *exit_code = RunTax(options.get()); });
}

}  // namespace stint::cli

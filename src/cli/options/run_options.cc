#include "cli/options/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/platform/cache_folder.h"
#include "engine/choose/conv_choice.h"
#include "engine/device/conv_cost_file.h"
#include "engine/device/conv_schedules.h"
#include "engine/opencl/opencl_device.h"
#include "lab/record/words.h"

namespace stint::cli {

void AddFormat(CLI::App* app, std::string* format) {
  app->add_option("--format", *format, "How results are printed")
      ->check(CLI::IsMember({"table", "json"}));
}

void AddTableFormat(CLI::App* app, std::string* format) {
  if (CLI::Option* narrower = app->get_option_no_throw("--format")) {
    app->remove_option(narrower);
  }
  app->add_option("--format", *format, "How results are printed")
      ->check(CLI::IsMember({"table", "json", "csv", "md"}));
}

void RunOptions::AddTo(CLI::App* app) {
  app->add_option("--threads", threads,
                  "Threads to use (default: all CPUs of this process)")
      ->check(CLI::Range(1, 1024));
  app->add_option("--isa", isa, "Cap the instruction set")
      ->check(CLI::IsMember(IsaWords()));
  AddFormat(app, &format);
}

void RunOptions::AddPrecisionTo(CLI::App* app) {
  app->add_option("--precision", precision,
                  "Precision of weights and arithmetic")
      ->check(CLI::IsMember(PrecisionWords()));
}

void RunOptions::AddAutoPrecisionTo(CLI::App* app) {
  app->add_option("--precision", precision,
                  "Precision of weights and arithmetic; auto: the fastest "
                  "within --tolerance")
      ->check(CLI::IsMember(PrecisionWordsWithAuto()));
  app->add_option(
         "--tolerance", tolerance,
         "auto: most difference from fp32, relative to the largest output")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void RunOptions::AddPrimitiveTo(CLI::App* app) {
  std::vector<std::string> names;
  for (std::string_view name : PrimitiveNames()) names.emplace_back(name);
  app->add_option("--primitive", primitive,
                  "Use this primitive for every convolution it supports")
      ->check(CLI::IsMember(names));
  app->add_option("--schedule", schedule,
                  "Schedules of convolutions: tuned (by `stint tune`), default "
                  "(chosen per layer) or untuned (one fixed schedule)")
      ->check(CLI::IsMember(ScheduleWords()));
}

void RunOptions::AddDeviceTo(CLI::App* app) {
  app->add_option("--device", device,
                  "Where it runs: cpu or opencl:N; `stint device` lists them")
      ->check([](const std::string& name) -> std::string {
        if (name == SessionOptions().device || IsOpenClName(name)) return {};
        return "device '" + name + "', expected cpu or opencl:N";
      })
      ->capture_default_str();
}

KernelSite RunOptions::Site() const {
  KernelSite site{IsaCap(), ThreadCount(),
                  ParsePrecision(precision).value_or(Precision::kFloat32),
                  primitive, nullptr};
  auto costs = LoadConvCosts(CacheFolder(), site.isa, site.threads);
  if (costs.ok()) site.conv_costs = *std::move(costs);
  site.schedule_mode =
      ParseScheduleMode(schedule).value_or(ScheduleMode::kTuned);
  auto tuned = LoadConvSchedules(CacheFolder(), site.isa, site.threads);
  if (tuned.ok()) site.schedules = *std::move(tuned);
  return site;
}

SessionOptions RunOptions::Session() const {
  SessionOptions options;
  options.precision = ParsePrecision(precision);
  options.tolerance = tolerance;
  options.lab.primitive = primitive;
  options.lab.schedule =
      ParseScheduleMode(schedule).value_or(ScheduleMode::kTuned);
  options.device = device;
  if (options.lab.schedule != ScheduleMode::kTuned) return options;
  const auto tuned = LoadConvSchedules(CacheFolder(), IsaCap(), ThreadCount());
  if (tuned.status().code() == StatusCode::kDamaged) {
    PrintError(
        "stint: %s; running without it, `stint device --forget` "
        "removes it\n",
        tuned.status().message().c_str());
  }
  return options;
}

int RunOptions::ThreadCount() const {
  return threads > 0 ? threads : AvailableCpus();
}

Isa RunOptions::IsaCap() const {
  return DetectIsa(ParseIsa(isa).value_or(Isa::kAmx));
}

void ModelOptions::AddTo(CLI::App* app) {
  app->add_option("MODEL", path,
                  "An .onnx file, a .stint file or a Hugging Face folder")
      ->required();
  app->add_option("--tokenizer", import.tokenizer_folder,
                  "Folder with tokenizer.json or vocab.txt, for an ONNX model");
  app->add_option_function<std::string>(
         "--pooling",
         [this](const std::string& name) {
           import.pooling = *ParsePooling(name);
         },
         "How an ONNX model's token states become one embedding")
      ->check(CLI::IsMember(Words(PoolingNames())));
  app->add_option("--disable-pass", import.disabled_passes,
                  "Passes to skip; `stint inspect --stages` lists them")
      ->delimiter(',');
}

void ReportPrimitive(const std::string& primitive,
                     const std::vector<StepChoice>& choices) {
  if (primitive.empty()) return;
  int64_t forced = 0, convolutions = 0;
  for (const StepChoice& choice : choices) {
    convolutions += choice.op.ends_with("Conv");
    forced += choice.reason == "forced";
  }
  PrintError(
      "stint: %s runs %lld of %lld convolutions; it does not support the "
      "others\n",
      primitive.c_str(), static_cast<long long>(forced),
      static_cast<long long>(convolutions));
}

}  // namespace stint::cli

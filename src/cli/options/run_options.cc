#include "cli/options/run_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core/base/printable.h"
#include "core/platform/cache_folder.h"
#include "engine/bind/conv_choice.h"
#include "engine/device/conv_cost_file.h"
#include "engine/device/conv_schedules.h"
#include "engine/opencl/opencl_device.h"

namespace stint::cli {

int Fail(const Status& status) {
  // Messages quote names from files and command lines.
  PrintError("stint: %s\n", status.message().c_str());
  switch (status.code()) {
    case StatusCode::kUnsupported:
      return kExitUnsupported;
    case StatusCode::kBudgetInfeasible:
      return kExitInfeasible;
    case StatusCode::kMismatch:
      return kExitMismatch;
    default:
      return kExitFailed;
  }
}

void RunOptions::AddTo(CLI::App* app) {
  app->add_option("--threads", threads,
                  "Threads to use (default: all CPUs of this process)")
      ->check(CLI::Range(1, 1024));
  app->add_option("--isa", isa, "Cap the instruction set")
      ->check(CLI::IsMember({"sse2", "avx2", "avx512", "vnni", "bf16", "amx"}));
  app->add_option("--format", format, "How results are printed")
      ->check(CLI::IsMember({"table", "json"}));
}

void RunOptions::AddPrecisionTo(CLI::App* app) {
  app->add_option("--precision", precision,
                  "Arithmetic of products with weights")
      ->check(CLI::IsMember({"fp32", "bf16", "int8"}));
}

void RunOptions::AddAutoPrecisionTo(CLI::App* app) {
  app->add_option("--precision", precision,
                  "Arithmetic of products with weights; auto: the fastest "
                  "within the tolerance")
      ->check(CLI::IsMember({"fp32", "bf16", "int8", "auto"}));
  app->add_option("--tolerance", tolerance,
                  "For auto: difference from fp32 over the largest output")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
}

void RunOptions::AddPrimitiveTo(CLI::App* app) {
  std::vector<std::string> names;
  for (std::string_view name : PrimitiveNames()) names.emplace_back(name);
  app->add_option("--primitive", primitive,
                  "Use this for every convolution that it can compute")
      ->check(CLI::IsMember(names));
  app->add_option("--schedule", schedule,
                  "How convolutions run: what `stint tune` found, the default "
                  "of each layer, or one fixed schedule")
      ->check(CLI::IsMember({"tuned", "default", "untuned"}));
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
  options.precision = precision;
  options.tolerance = tolerance;
  options.primitive = primitive;
  options.schedule = schedule;
  options.device = device;
  if (schedule != SessionOptions().schedule) return options;
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
  app->add_option("MODEL", path, "An .onnx file or a Hugging Face folder")
      ->required();
  app->add_option("--tokenizer", import.tokenizer_folder,
                  "Folder with tokenizer.json or vocab.txt, for an ONNX model");
  app->add_option("--pooling", import.pooling,
                  "How an ONNX model's token states become one embedding")
      ->check(CLI::IsMember({"mean", "cls", "none"}));
  app->add_option("--disable-pass", import.disabled_passes,
                  "Passes to leave out; `stint inspect --stages` lists them")
      ->delimiter(',');
}

void ReportPrimitive(const std::string& primitive,
                     const std::vector<StepChoice>& choices) {
  if (primitive.empty()) return;
  const auto forced = std::count_if(
      choices.begin(), choices.end(),
      [](const StepChoice& choice) { return choice.reason == "forced"; });
  PrintError(
      "stint: %s computes %lld of %zu convolutions; it does not fit "
      "the others\n",
      primitive.c_str(), static_cast<long long>(forced), choices.size());
}

void PrintJson(const Json& json) {
  const std::string text =
      json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::printf("%s\n", PrintableJson(text).c_str());
}

namespace {

std::string Format(const char* format, va_list values) {
  va_list again;
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, format, values);
  std::string text(static_cast<size_t>(std::max(0, size)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace

void Print(const char* format, ...) {
  va_list values;
  va_start(values, format);
  PrintText(Format(format, values));
  va_end(values);
}

void PrintError(const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::fputs(Printable(Format(format, values)).c_str(), stderr);
  va_end(values);
}

void PrintText(const std::string& text) {
  std::fputs(Printable(text).c_str(), stdout);
}

namespace {

std::string FormatNumber(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

}  // namespace

std::string FormatMs(double ms) {
  if (ms >= 10000) return FormatNumber("%.1f s", ms / 1000);
  return FormatNumber(ms < 10 ? "%.2f ms" : "%.1f ms", ms);
}

std::string FormatBytes(int64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (bytes >= 1000000000) return FormatNumber("%.2f GB", value * 1e-9);
  if (bytes >= 1000000) return FormatNumber("%.1f MB", value * 1e-6);
  if (bytes >= 1000) return FormatNumber("%.1f kB", value * 1e-3);
  return FormatNumber("%.0f bytes", value);
}

}  // namespace stint::cli

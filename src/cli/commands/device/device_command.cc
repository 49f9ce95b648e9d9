// stint device: what this machine can do, and which primitives suit a model.

#include <CLI/CLI.hpp>

#include "cli/commands/device/device_codes.h"
#include "cli/commands/device/device_opencl.h"
#include "cli/commands/device/tune_report.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/cache_folder.h"
#include "core/platform/file.h"
#include "engine/device/machine_cache.h"
#include "engine/profile/measure_device.h"

namespace stint::cli {
namespace {

struct DeviceOptions {
  RunOptions run;
  bool refresh = false;
  bool forget = false;
  bool opencl = false;
  TuneRequest tune;
};

Json ToJson(const DeviceProfile& profile, const std::string& file) {
  Json json;
  json["cpu"] = profile.cpu;
  json["isa"] = profile.isa;
  json["cores"] = profile.cores;
  json["threads"] = profile.threads;
  json["fp32_gflops"] = profile.fp32_gflops.all;
  json["int8_gops"] = profile.int8_gops.all;
  json["bf16_gflops"] = profile.bf16_gflops.all;
  json["l2_gbps"] = profile.l2_gbps.all;
  json["l3_gbps"] = profile.l3_gbps.all;
  json["dram_gbps"] = profile.dram_gbps.all;
  json["per_core"] = {{"fp32_gflops", profile.fp32_gflops.core},
                      {"int8_gops", profile.int8_gops.core},
                      {"bf16_gflops", profile.bf16_gflops.core},
                      {"l2_gbps", profile.l2_gbps.core},
                      {"l3_gbps", profile.l3_gbps.core},
                      {"dram_gbps", profile.dram_gbps.core}};
  json["io"] = Json::array();
  for (const IoPoint& point : profile.io) {
    json["io"].push_back({{"request_bytes", point.request_bytes},
                          {"mbytes_per_second", point.mbytes_per_second},
                          {"latency_us", point.latency_us},
                          {"queued_us", point.queued_us}});
  }
  json["io_depth"] = profile.io_depth;
  json["io_note"] = profile.io_note;
  json["energy_meter"] = {{"grade", profile.energy_meter.grade},
                          {"source", profile.energy_meter.source}};
  json["file"] = file;
  return json;
}

void PrintFigure(const char* name, const CoreAndAll& figure, const char* unit) {
  Print("%-12s %10.1f %10.1f  %s\n", name, figure.core, figure.all, unit);
}

void PrintTable(const DeviceProfile& profile, const std::string& file) {
  Print("%s, %d cores, isa %s\n", profile.cpu.c_str(), profile.cores,
        profile.isa.c_str());
  Print("%-12s %10s %10s\n", "", "1 thread",
        (std::to_string(profile.threads) + " threads").c_str());
  PrintFigure("fp32", profile.fp32_gflops, "GFLOP/s");
  PrintFigure("int8", profile.int8_gops, "GOP/s");
  PrintFigure("bf16", profile.bf16_gflops, "GFLOP/s");
  PrintFigure("read L2", profile.l2_gbps, "GB/s");
  PrintFigure("read L3", profile.l3_gbps, "GB/s");
  PrintFigure("read DRAM", profile.dram_gbps, "GB/s");
  Print("%-12s %10s %10s %10s\n", "storage", "MB/s", "us",
        ("us, " + std::to_string(profile.io_depth) + " at once").c_str());
  for (const IoPoint& point : profile.io) {
    Print("%8lld KiB %10.1f %10.1f %10.1f\n",
          static_cast<long long>(point.request_bytes / 1024),
          point.mbytes_per_second, point.latency_us, point.queued_us);
  }
  Print("%-12s %s\n", "", profile.io_note.c_str());
  Print("%-12s grade %s, %s\n", "energy", profile.energy_meter.grade.c_str(),
        profile.energy_meter.source.c_str());
  Print("%-12s %s\n", "kept in", file.c_str());
}

Result<DeviceProfile> ReadProfile(const MachineCache& cache) {
  STINT_ASSIGN_OR_RETURN(const std::string text, cache.Read());
  return ParseDeviceProfile(text);
}

int Forget(const std::string& folder) {
  const auto names = ListDirectory(folder);
  int count = 0;
  if (names.ok()) {
    for (const std::string& name : *names) {
      if (!name.starts_with("profile-") && !name.starts_with("conv-") &&
          !name.starts_with("codes-") && !name.starts_with("schedules-") &&
          !name.starts_with("opencl-") && !name.starts_with("trials.db")) {
        continue;
      }
      const Status removed = RemoveFile(JoinPath(folder, name));
      if (!removed.ok()) return Fail(removed);
      ++count;
    }
  }
  Print("%d files removed from %s\n", count, folder.c_str());
  return kExitOk;
}

DeviceProfile Measure(const DeviceOptions& options, const std::string& folder) {
  ThreadPool pool(options.run.ThreadCount());
  Progress progress("device");
  MeasureOptions measure;
  measure.isa = options.run.IsaCap();
  measure.folder = folder;
  measure.progress = [&](double done) {
    progress.Update(static_cast<int64_t>(done * 100), 100);
  };
  return MeasureDevice(measure, &pool);
}

int ListOpenCl(const RunOptions& run) {
  if (!run.json()) {
    PrintOpenClDevices();
    return kExitOk;
  }
  Json json = Json::object();
  AddOpenClDevices(&json);
  PrintJson(json);
  return kExitOk;
}

int RunDevice(const DeviceOptions& options) {
  if (options.opencl) return ListOpenCl(options.run);
  const std::string folder = CacheFolder();
  if (folder.empty()) {
    return Fail(NotFound("no cache folder: set HOME or XDG_CACHE_HOME"));
  }
  if (options.forget) return Forget(folder);
  if (!options.tune.model.empty()) {
    return TuneModel(options.tune, options.run);
  }
  const MachineCache cache(
      folder, "profile",
      MachineKey::Here(options.run.IsaCap(), options.run.ThreadCount()));
  auto profile = ReadProfile(cache);
  if (!profile.ok() && profile.status().code() != StatusCode::kNotFound) {
    PrintError("stint: %s; measuring again\n",
               profile.status().message().c_str());
  }
  if (options.refresh || !profile.ok()) {
    const Status written = cache.Write(ToText(Measure(options, folder)));
    if (!written.ok()) return Fail(written);
    profile = ReadProfile(cache);
    if (!profile.ok()) return Fail(profile.status());
  }
  const auto codes = MeasuredCodes(options.run, folder, options.refresh);
  if (!codes.ok()) return Fail(codes.status());
  if (options.run.json()) {
    Json json = ToJson(*profile, cache.path());
    json["codes"] = CodesToJson(**codes);
    AddOpenClDevices(&json);
    PrintJson(json);
  } else {
    PrintTable(*profile, cache.path());
    PrintCodes(**codes);
    PrintOpenClDevices();
  }
  return kExitOk;
}

}  // namespace

void AddDeviceCommand(CLI::App* app, int* exit_code) {
  auto options = std::make_shared<DeviceOptions>();
  CLI::App* command =
      app->add_subcommand("device", "Measure what this machine can do");
  command->footer(
      "Examples:\n"
      "  stint device                    # measured once, then remembered\n"
      "  stint device --tune model.onnx  # the fastest primitive per layer");
  command->add_flag("--refresh", options->refresh,
                    "Measure again, whatever is remembered");
  command->add_flag("--forget", options->forget,
                    "Remove everything that was measured");
  command->add_flag("--opencl", options->opencl,
                    "Only list the OpenCL devices, for --device opencl:N");
  command->add_option("--tune", options->tune.model,
                      "Time every primitive on the convolutions of this model; "
                      "later runs use the fastest");
  command->add_option("--batch", options->tune.batch, "Batch size for --tune")
      ->check(CLI::Range(1, 65536));
  options->run.AddTo(command);
  command->callback([options, exit_code] { *exit_code = RunDevice(*options); });
}

}  // namespace stint::cli

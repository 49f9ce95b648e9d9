// stint device: what this machine can do, and which primitives suit a model.

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/device/device_parts.h"
#include "cli/options/run_options.h"
#include "cli/terminal/progress.h"
#include "core/platform/cache_folder.h"
#include "core/platform/file.h"
#include "engine/device/machine_cache.h"
#include "engine/profile/measure_device.h"
#include "lab/report/study_json.h"

namespace stint::cli {
namespace {

struct DeviceOptions {
  RunOptions run;
  bool refresh = false;
  bool forget = false;
  bool opencl = false;
  TuneRequest tune;
};

Table StorageTable(const DeviceProfile& profile) {
  Table table;
  table.columns = {"request_bytes", "mbytes_per_second", "latency_us",
                   "queued_us"};
  for (const IoPoint& point : profile.io) {
    table.rows.push_back({point.request_bytes, point.mbytes_per_second,
                          point.latency_us, point.queued_us});
  }
  return table;
}

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
  json["io"] = RowsJson(StorageTable(profile));
  json["io_depth"] = profile.io_depth;
  json["io_note"] = profile.io_note;
  json["energy_meter"] = {{"grade", profile.energy_meter.grade},
                          {"source", profile.energy_meter.source}};
  json["file"] = file;
  return json;
}

Table SpeedTable(const DeviceProfile& profile) {
  const std::string all = std::to_string(profile.threads) + " threads";
  Table table;
  table.columns = {"what", "1 thread", all, "unit"};
  const auto add = [&](const char* what, const CoreAndAll& speed,
                       const char* unit) {
    table.rows.push_back({what, speed.core, speed.all, unit});
  };
  add("fp32", profile.fp32_gflops, "GFLOP/s");
  add("int8", profile.int8_gops, "GOP/s");
  add("bf16", profile.bf16_gflops, "GFLOP/s");
  add("read L2", profile.l2_gbps, "GB/s");
  add("read L3", profile.l3_gbps, "GB/s");
  add("read DRAM", profile.dram_gbps, "GB/s");
  return table;
}

void AddOpenCl(const OpenClList& list, ReportSection* section) {
  if (!list.none.empty()) {
    section->findings.push_back("OpenCL: none: " + list.none);
  }
  section->figures.push_back({"OpenCL", "", {}, list.devices});
}

ReportSection Section(const DeviceProfile& profile, const CodeCosts& codes,
                      const std::string& file) {
  ReportSection section;
  section.findings = {profile.cpu + ", " + std::to_string(profile.cores) +
                          " cores, isa " + profile.isa,
                      "energy: grade " + profile.energy_meter.grade + ", " +
                          profile.energy_meter.source,
                      "kept in " + file};
  const std::string queued =
      "queued_us: " + std::to_string(profile.io_depth) + " requests at once.";
  section.figures = {{"Speed", "", {}, SpeedTable(profile)},
                     {"Storage", queued, {}, StorageTable(profile)},
                     {"Products on bit planes", "", {}, CodesTable(codes)}};
  if (!profile.io_note.empty()) {
    section.findings.push_back("storage: " + profile.io_note);
  }
  return section;
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

int PrintOpenCl(const std::string& format) {
  const OpenClList list = ListOpenCl();
  Json json = Json::object();
  AddOpenClDevices(list, &json);
  ReportSection section;
  AddOpenCl(list, &section);
  PrintResult(format, json, section);
  return kExitOk;
}

int RunDevice(const DeviceOptions& options) {
  if (options.opencl) return PrintOpenCl(options.run.format);
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
  const OpenClList opencl = ListOpenCl();
  Json json = ToJson(*profile, cache.path());
  json["codes"] = CodesToJson(**codes);
  AddOpenClDevices(opencl, &json);
  ReportSection section = Section(*profile, **codes, cache.path());
  AddOpenCl(opencl, &section);
  PrintResult(options.run.format, json, section);
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
      "  stint device --primitives model.onnx  # the fastest per layer");
  command->add_flag("--refresh", options->refresh,
                    "Measure again, whatever is remembered");
  command->add_flag("--forget", options->forget,
                    "Remove everything that was measured");
  command->add_flag("--opencl", options->opencl,
                    "Only list the OpenCL devices, for --device opencl:N");
  command->add_option("--primitives", options->tune.model,
                      "Time every primitive on the convolutions of this model; "
                      "later runs use the fastest");
  command
      ->add_option("--batch", options->tune.batch,
                   "Batch size for --primitives")
      ->check(CLI::Range(1, 65536));
  options->run.AddTo(command);
  AddTableFormat(command, &options->run.format);
  command->callback([options, exit_code] { *exit_code = RunDevice(*options); });
}

}  // namespace stint::cli

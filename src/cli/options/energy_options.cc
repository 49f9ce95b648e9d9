#include "cli/options/energy_options.h"

#include <CLI/CLI.hpp>

#include "core/platform/clock.h"

namespace stint::cli {

void EnergyFlags::AddTo(CLI::App* app) {
  CLI::Option* wanted =
      app->add_flag("--energy-report", report,
                    "Energy with its grade (A counter, B sensor, C external "
                    "meter, D modeled, "
                    "E none), or CPU time where there is no meter");
  for (CLI::Option* option : AddMeterTo(app)) option->needs(wanted);
}

std::vector<CLI::Option*> EnergyFlags::AddMeterTo(CLI::App* app) {
  return {app->add_option("--energy-log", log,
                          "CSV with columns time_s (since 1970) and watts that "
                          "another meter is writing; grade C"),
          app->add_option("--watts-per-core", watts_per_core,
                          "Without a meter: model energy as CPU seconds times "
                          "this; grade D")
              ->check(CLI::Range(0.001, 1000.0))};
}

EnergyOptions EnergyFlags::Options() const {
  EnergyOptions options;
  options.external_log = log;
  options.watts_per_core = watts_per_core;
  return options;
}

Result<Json> EnergyFlags::Measure(FunctionRef<Result<int64_t>()> work) const {
  if (!report) {
    STINT_RETURN_IF_ERROR(work().status());
    return Json(nullptr);
  }
  STINT_ASSIGN_OR_RETURN(EnergyRecorder recorder,
                         EnergyRecorder::Make(Options()));
  STINT_RETURN_IF_ERROR(recorder.Idle());
  const double cpu_start_ms = ProcessCpuMs();
  STINT_RETURN_IF_ERROR(recorder.Begin());
  STINT_ASSIGN_OR_RETURN(const int64_t runs, work());
  STINT_RETURN_IF_ERROR(recorder.End((ProcessCpuMs() - cpu_start_ms) * 1e-3));
  STINT_RETURN_IF_ERROR(recorder.Idle());
  STINT_ASSIGN_OR_RETURN(const EnergyReport energy, recorder.Report());
  return EnergyJson(energy, runs);
}

Json EnergyJson(const EnergyReport& report, int64_t runs) {
  const auto per_run = static_cast<double>(std::max<int64_t>(1, runs));
  Json json = {{"grade", report.meter.grade},
               {"source", report.meter.source},
               {"shown_as", report.shown_as},
               {"runs", runs},
               {"seconds", report.seconds},
               {"cpu_seconds", report.cpu_seconds},
               {"cpu_ms_per_run", report.cpu_seconds * 1e3 / per_run}};
  if (report.gross) {
    json["gross_joules"] = report.gross->joules;
    json["gross_joules_error"] = report.gross->joules_error;
    json["mean_watts"] = report.gross->watts();
    json["gross_joules_per_run"] = report.gross->joules / per_run;
  }
  if (report.net) {
    json["idle_watts"] = report.idle->watts;
    json["idle_watts_error"] = report.idle->watts_error;
    json["net_joules"] = report.net->joules;
    json["net_joules_error"] = report.net->joules_error;
    json["net_joules_per_run"] = report.net->joules / per_run;
    json["below_resolution"] = report.net->below_resolution;
  }
  json["note"] = report.note;
  return json;
}

void PrintEnergy(const Json& energy) {
  if (energy.is_null()) return;
  Print("energy: grade %s (%s), %s\n",
        energy["grade"].get<std::string>().c_str(),
        energy["shown_as"].get<std::string>().c_str(),
        energy["source"].get<std::string>().c_str());
  Print("  %lld runs in %.2f s, CPU %.2f s, %s of CPU per run\n",
        energy["runs"].get<long long>(), energy["seconds"].get<double>(),
        energy["cpu_seconds"].get<double>(),
        FormatMs(energy["cpu_ms_per_run"]).c_str());
  if (energy.contains("gross_joules")) {
    Print("  gross %.4g +- %.2g J, %.4g J per run, mean power %.3g W\n",
          energy["gross_joules"].get<double>(),
          energy["gross_joules_error"].get<double>(),
          energy["gross_joules_per_run"].get<double>(),
          energy["mean_watts"].get<double>());
  }
  if (energy.contains("net_joules")) {
    Print(
        "  net   %.4g +- %.2g J, %.4g J per run (idle %.3g +- %.2g W taken "
        "off)\n",
        energy["net_joules"].get<double>(),
        energy["net_joules_error"].get<double>(),
        energy["net_joules_per_run"].get<double>(),
        energy["idle_watts"].get<double>(),
        energy["idle_watts_error"].get<double>());
  }
  const std::string note = energy["note"].get<std::string>();
  if (!note.empty()) Print("  note: %s\n", note.c_str());
}

}  // namespace stint::cli

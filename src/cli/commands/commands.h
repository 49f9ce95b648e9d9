#pragma once
// The commands of the program; command_table.h has them by name.

namespace CLI {
class App;
}  // namespace CLI

namespace stint::cli {

// Each adds its sub-command; `exit_code` receives what it returns when run.
void AddInspectCommand(CLI::App* app, int* exit_code);
void AddRunCommand(CLI::App* app, int* exit_code);
void AddCheckCommand(CLI::App* app, int* exit_code);
void AddEvalCommand(CLI::App* app, int* exit_code);
void AddExportCommand(CLI::App* app, int* exit_code);
void AddCompressCommand(CLI::App* app, int* exit_code);
void AddOptimizeCommand(CLI::App* app, int* exit_code);
void AddPackCommand(CLI::App* app, int* exit_code);
void AddPlanCommand(CLI::App* app, int* exit_code);
void AddBenchCommand(CLI::App* app, int* exit_code);
void AddStudyCommand(CLI::App* app, int* exit_code);
void AddReportCommand(CLI::App* app, int* exit_code);
void AddDeviceCommand(CLI::App* app, int* exit_code);
void AddTuneCommand(CLI::App* app, int* exit_code);
void AddPeerCommand(CLI::App* app, int* exit_code);
void AddOperatorsCommand(CLI::App* app, int* exit_code);

}  // namespace stint::cli

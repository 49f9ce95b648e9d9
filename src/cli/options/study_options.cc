#include "cli/options/study_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "core/platform/file.h"
#include "core/platform/process.h"

namespace stint::cli {

void AddInputShapes(CLI::App* command, InputShapes* shapes) {
  command->add_option_function<std::vector<std::string>>(
      "--input-shape",
      [shapes](const std::vector<std::string>& texts) {
        auto parsed = ParseInputShapes(texts);
        if (!parsed.ok()) {
          throw CLI::ValidationError("--input-shape",
                                     parsed.status().message());
        }
        *shapes = *std::move(parsed);
      },
      "Shape of an input with free dimensions: x=1x3x224x224; ? leaves one to "
      "--batch, --seq or the default; repeatable");
}

void PrintCount(const StudyCount& count) {
  PrintError("stint: %lld points, %lld done, %lld failed\n",
             static_cast<long long>(count.points),
             static_cast<long long>(count.done),
             static_cast<long long>(count.failed));
}

std::string DefaultPeersFolder() {
  const std::string bin = DirectoryOf(ExecutablePath());
  const std::string installed = JoinPath(bin, "../share/stint/peers");
  return DirectoryExists(installed) ? installed : JoinPath(bin, "../peers");
}

void StudyFlags::AddTo(CLI::App* command, const std::string& rounds_help,
                       int most_rounds) const {
  CLI::Option* kept =
      command->add_option("--db", *database, "Keep results here");
  command
      ->add_flag("--resume", *resume,
                 "Go on with the points that --db does not have yet")
      ->needs(kept);
  command
      ->add_option_function<std::string>(
          "--shard",
          [part = shard](const std::string& text) {
            const auto parsed = ParseShard(text);
            if (!parsed.ok()) {
              throw CLI::ValidationError("--shard", parsed.status().message());
            }
            *part = *parsed;
          },
          "Run only part i of n, as 2/5; `stint study merge` puts parts "
          "together")
      ->needs(kept);
  command->add_option("--rounds", *rounds, rounds_help)
      ->check(CLI::Range(1, most_rounds));
  command
      ->add_option("--timeout", *timeout_seconds,
                   "Seconds to wait for the answer of a point")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command->add_option("--seed", *seed, "Seed of order, weights and inputs");
}

void AddQuick(CLI::App* command, bool* quick, const std::string& what) {
  command->add_flag("--quick", *quick, what + ", unless given");
}

void AddPeerFlags(CLI::App* command, double* seconds,
                  std::string* peers_folder) {
  command->add_option("--seconds", *seconds, "Seconds of timed runs per point")
      ->check(CLI::Range(0.001, 3600.0));
  command->add_option("--peers", *peers_folder,
                      "Folder with NAME_peer.py (default: the project's)");
}

Status FindModels(ModelNames names, std::vector<std::string>* models) {
  for (std::string& model : *models) {
    const bool network =
        names == ModelNames::kFilesAndNetworks && !model.ends_with(".onnx");
    if (network) continue;
    if (!FileExists(model)) return NotFound(model + ": no such file");
    std::error_code ignored;
    model = std::filesystem::absolute(model, ignored).string();
  }
  return OkStatus();
}

void NoteDatabase(const std::string& database) {
  if (!database.empty()) return;
  PrintError("stint: results are not kept; --db F keeps them\n");
}

}  // namespace stint::cli

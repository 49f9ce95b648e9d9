#pragma once
// Options that the studies have, and some other commands of the lab.

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal/print.h"
#include "lab/peers/make_inputs.h"
#include "lab/study/run_study.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stint::cli {

// How every study runs: where results are kept, which part of the points, how
// often and how long each.
struct StudyFlags {
  std::string* database;
  bool* resume;
  Shard* shard;
  int* rounds;
  double* timeout_seconds;
  uint64_t* seed;

  template <typename Options>
  static StudyFlags Of(Options* options) {
    return {&options->database, &options->resume,          &options->shard,
            &options->rounds,   &options->timeout_seconds, &options->seed};
  }
  // --db, --resume, --shard (parts are merged later), --rounds, --timeout and
  // --seed.
  void AddTo(CLI::App* command, const std::string& rounds_help,
             int most_rounds = 1000) const;
};

// --quick: `what` says what is left of the study.
void AddQuick(CLI::App* command, bool* quick, const std::string& what);

// --seconds and --peers, of studies that compare runtimes.
void AddPeerFlags(CLI::App* command, double* seconds,
                  std::string* peers_folder);

// Makes paths absolute; kNotFound names the first file that is not there. Of
// kFilesAndNetworks, only what ends in .onnx is a file.
enum class ModelNames { kFiles, kFilesAndNetworks };
Status FindModels(ModelNames names, std::vector<std::string>* models);

// Says so where results are kept nowhere.
void NoteDatabase(const std::string& database);

// --input-shape NAME=1x3x224x224, repeatable.
void AddInputShapes(CLI::App* command, InputShapes* shapes);

// How many points of a study ran, as a line on stderr.
void PrintCount(const StudyCount& count);

// The folder of peers beside the build folder or, when installed, under share.
std::string DefaultPeersFolder();

}  // namespace stint::cli

#pragma once
// Our side of the line protocol of peers (peers/README.md): one runtime in a
// process of its own.

#include <cstdint>
#include <string>
#include <vector>

#include "core/platform/process.h"
#include "stint/status.h"

namespace stint {

// A runtime that can be started.
struct PeerProgram {
  std::string name;
  std::vector<std::string> command;
};

// The program of a peer by its name: `stint_executable` for "stint", else
// <peers_folder>/<name>_peer.py with the Python of ../.venv-peers/<name> where
// that exists. kNotFound lists the names there are.
Result<PeerProgram> FindPeer(const std::string& name,
                             const std::string& peers_folder,
                             const std::string& stint_executable);

// An input as the protocol names it; `file` is an .npy file.
struct PeerInput {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string file;
};

struct PeerLoad {
  std::string model;
  int threads = 1;
  std::string precision = "fp32";
  std::string mode;  // of the runtime; empty: its usual one
  std::string isa;
  std::string device;     // of stint; empty: the CPU
  std::string primitive;  // of convolutions, for stint; empty: the fastest
  std::string schedule = "tuned";  // of convolutions, for stint
  std::string cache;  // a folder for what peers make of the model once
  std::vector<PeerInput> inputs;
};

struct PeerDescription {
  std::string runtime;
  std::string version;
};

struct PeerOutput {
  std::string name;
  std::string file;
};

struct PeerRun {
  std::vector<double> times_ms;
  double cpu_ms = 0;  // over all runs
  int64_t peak_rss_bytes = 0;
  std::vector<PeerOutput> outputs;
};

// Where the time of runs went, seen by the runtime's own profiler.
struct PeerProfile {
  std::vector<double> times_ms;   // of the profiled runs
  std::vector<double> kernel_ms;  // time inside kernels, per run
  int64_t kernels = 0;            // how many a run has
};

// Used by one thread at a time. What goes wrong is told by the code: kNotFound
// a missing program or package, kUnsupported what the runtime does not run, kIo
// the death of the process (with its signal and last words), kCancelled silence
// beyond the timeout (the process is killed), others an error that the runtime
// answered with.
class PeerClient {
 public:
  // `timeout_seconds` is for each answer.
  static Result<PeerClient> Start(const PeerProgram& program,
                                  double timeout_seconds);

  Result<PeerDescription> Describe();
  Result<double> Load(const PeerLoad& load);  // load_ms
  // Runs the model; outputs of the first run go to `outputs_folder` unless
  // that is empty. Of the times at most `keep` are answered, evenly spread; 0:
  // all.
  Result<PeerRun> Run(int64_t runs, const std::string& outputs_folder,
                      int64_t keep = 0);
  // kUnsupported where the runtime has no profiler.
  Result<PeerProfile> Profile(int64_t runs);
  Status Close();

  int pid() const { return process_.pid(); }

 private:
  PeerClient(std::string name, Process process, double timeout_seconds)
      : name_(std::move(name)),
        process_(std::move(process)),
        timeout_seconds_(timeout_seconds) {}
  Result<std::string> Ask(const std::string& request);
  Status Died();

  std::string name_;
  Process process_;
  double timeout_seconds_;
};

}  // namespace stint

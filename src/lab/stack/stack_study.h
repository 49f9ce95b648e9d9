#pragma once
// A study across the stack: networks x compression x convolution primitive x
// code x compute, one layer of the stack changed at a time, each point with the
// accuracy, time and memory of its own kernels.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/stack/stack_report.h"
#include "lab/study/run_study.h"
#include "stint/compress.h"

namespace stint {

// The first round, and the last look at contests.
inline constexpr int kMostRounds = 129;

struct StackStudyOptions {
  std::vector<std::string> models;  // .onnx files, or names by content:
  // Where those are and what data and calibration hold (file_identity.h);
  // empty: what has a path is told apart by it.
  std::map<std::string, std::string> files;
  std::string data_content;
  std::string calibration_content;
  // "none"; or what `stint compress` takes, joined by +: "channel:50%+int8".
  // bf16 is computed in bf16, too.
  std::vector<std::string> compressions;
  // "auto": the fastest known; or one that is forced wherever it fits.
  std::vector<std::string> primitives;
  // "untuned", "default" or "tuned": schedules of convolutions.
  std::vector<std::string> codes;
  // What `stint tune` may take for each model and compute of tuned points.
  std::string tune_budget = "30s";
  // "all", "avx2-1thread" and the like, "opencl:0" or "emulated"
  // (stack_compute.h).
  std::vector<std::string> computes;
  // What computes that are no CPU of this machine are, for people.
  std::map<std::string, std::string> devices;
  std::string task;
  std::string data;         // that is evaluated
  std::string calibration;  // for repair and ranges, so many first rows of it:
  int64_t calibration_rows = kRepairRows;
  // Options of `eval`: "--scale", "255"; of some models others, by file.
  std::vector<std::string> preprocessing;
  std::map<std::string, std::vector<std::string>> preprocessing_of;
  // Accuracy that others report of a model, as a share; by its file.
  std::map<std::string, double> published_of;
  int64_t rows = 0;  // only the first so many; 0: all
  // Every point is evaluated in the first round and timed in later ones, at
  // most so many in all; fewer where contests are decided before (contest.h).
  int rounds = kMostRounds;
  uint64_t seed = 1;              // of the order
  double timeout_seconds = 3600;  // of a point
  std::string stint_executable;
  std::string program;  // which stint that is; a fact of every point
  // What runs points of the compute "emulated": a build of stint for another
  // machine, after the program that emulates it and its options.
  std::vector<std::string> emulated_stint;
  std::string database;  // empty: a temporary one
  // Where compressed models are kept; empty: a temporary folder.
  std::string folder;
  bool exact = false;   // every point is evaluated itself (alike_points.h)
  bool resume = false;  // go on with what the database has
  Shard shard = {};     // the part of the grid to run
};

// Lists that are empty get their defaults: every compression and primitive on
// three computes; `quick` few of each, and 500 rows.
void FillStack(bool quick, StackStudyOptions* options);

// kInvalidArgument for values that cannot be read.
Result<Study> MakeStackStudy(const StackStudyOptions& options);

// How a point is run: StackInProcesses.
struct StackRunners {
  // All but the rows: figures of the compressed model, and how it runs. A
  // status that is not "ok" is the point's.
  PointRunner prepare;
  // Adds what the rows give to what `prepare` gave.
  std::function<Result<Outcome>(const Point&, const Outcome& prepared)>
      evaluate;
  // Only times: kBlockSample. Empty: later rounds are left out.
  PointRunner time = {};
};

Result<StackReport> RunStackStudy(const StackStudyOptions& given,
                                  const StackRunners& runners,
                                  const StudyProgress& progress);

}  // namespace stint

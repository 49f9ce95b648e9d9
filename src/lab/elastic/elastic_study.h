#pragma once
// Elastic files within budgets, by several policies: models x budgets x storage
// x compute x policies, each point evaluated in a process of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/elastic/elastic_report.h"
#include "lab/study/run_study.h"

namespace stint {

inline constexpr char kNoLimit[] = "none";

// In the lists of budgets and storage "none" is a value, too: no limit, storage
// as it is.
struct ElasticStudyOptions {
  std::vector<std::string> models;  // .stint files
  // For policies of 32 bits a plain file for each of the models, or none: then
  // there are no such policies.
  std::vector<std::string> fulls;
  std::vector<std::string> latencies;  // "10ms"
  std::vector<std::string> memories;   // "8MB"
  std::vector<std::string> storages;   // "80MB/s,100us"
  std::vector<std::string> computes;   // "all", or "avx2-1thread" and the like
  std::vector<std::string> policies;   // as SessionOptions::policy
  std::string task = "sst2";
  std::string data;
  int64_t max_length = 64;  // tokens that texts are cut and padded to; 0: as is
  int64_t rows = 0;         // only the first so many; 0: all
  // A point is timed on so many first rows; the answers of its plan are
  // evaluated once for all points whose plans answer alike. 0: every point is
  // evaluated by itself.
  int64_t runs = 60;
  double percentile = 95;  // of the latency budget
  int rounds = 1;
  uint64_t seed = 1;              // of the order
  double timeout_seconds = 3600;  // of a point
  std::string stint_executable;
  std::string database;  // empty: a temporary one
  bool resume = false;   // go on with what the database has
  Shard shard = {};      // the part of the grid to run
};

// Lists that are empty get their defaults: a grid of 4 latencies, 4 memories, 3
// storages, 2 computes and every policy; `quick` few rows, 2 x 2 budgets, 5
// policies.
void FillGrid(bool quick, ElasticStudyOptions* options);

// kInvalidArgument for values that cannot be read.
Result<Study> MakeElasticStudy(const ElasticStudyOptions& options);

// Whether points share evaluations: not when they are as long as the timing.
bool SharesAnswers(const ElasticStudyOptions& options);

// How points are run; both give the samples and files of EvalOutcome.
struct ElasticRunners {
  PointRunner evaluate;
  // Evaluates all rows by a plan (kPlanFile) without budget or slow storage;
  // the point has the axes of AnswersStudy.
  std::function<Result<Outcome>(const Point&, const std::string& plan)> answer;
};

// Without `resume`, a database that has points of this study is refused:
// kInvalidArgument.
Result<ElasticReport> RunElasticStudy(const ElasticStudyOptions& options,
                                      const ElasticRunners& runners,
                                      const StudyProgress& progress);

}  // namespace stint

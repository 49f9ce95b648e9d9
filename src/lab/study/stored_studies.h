#pragma once
// The studies that a database holds, as they were when they ran: for reports of
// files whose command is long gone.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/study.h"
#include "lab/study/study_database.h"

namespace stint {

// One moment of a study: when a point ended and what the machine did meanwhile.
struct StoredMoment {
  double hours = 0;  // since the first point
  double steal_ms = 0;
  double throttled_ms = 0;
  double involuntary_switches = 0;
  std::optional<double> mean_watts;  // where there was a meter
};

// Points that ended alike, without figures.
struct StoredFailure {
  std::string condition;
  std::string treatment;
  std::string status;
  std::string reason;
  int64_t points = 0;
};

// One study on one machine. Conditions and treatments are those that
// have points: of a study that was stopped, the ones that it got to.
struct StoredStudy {
  int64_t id = 0;
  Study study;
  std::string machine;  // its kind; empty: the file does not say
  std::string host;     // which of the kind; empty: the file does not say
  std::string created;  // UTC
  std::string finished;
  int64_t points = 0;
  int64_t done = 0;  // no failure (IsFailure)
  int64_t failed = 0;
  std::vector<StoredFailure> failures;
  // Facts of its points by name, each value once: command, kernel, governor...
  std::map<std::string, std::vector<std::string>> facts;
  // Versions by runtime.
  std::map<std::string, std::vector<std::string>> versions;
  std::vector<StoredMoment> moments;
};

// In the order in which they were begun. kDamaged when a point's key does not
// fit its settings.
Result<std::vector<StoredStudy>> ReadStudies(StudyDatabase* database);

}  // namespace stint

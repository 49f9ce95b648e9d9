#pragma once
// What databases of studies say, as data: one section per study and machine,
// with its method, noise, figures and what went wrong. Writers turn it into a
// page, tables or JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "lab/plot/plot.h"
#include "lab/study/paired_rounds.h"
#include "lab/study/stored_studies.h"

namespace stint {

// What a kind of study has to say; everything else is common to all kinds.
struct ReportSection {
  std::string title;
  std::vector<std::string> method;    // how the figures were made
  std::vector<std::string> findings;  // what they say, a sentence each
  std::vector<NoiseRatio> noise;      // A/A; empty: the kind has none
  std::vector<Figure> figures;
};

struct ReportStudy {
  std::string file;
  StoredStudy stored;
  ReportSection section;
  std::vector<Figure> conduct;  // how the run went: machine, failures, noise
};

struct Report {
  std::vector<ReportStudy> studies;

  int64_t points() const;
  int64_t done() const;
  int64_t failed() const;
};

// Reads every study of the files, which are not changed. Errors name the file:
// kNotFound, kDamaged (not a database of studies, or none in it), kUnsupported
// (a newer schema).
Result<Report> MakeReport(const std::vector<std::string>& files);

}  // namespace stint

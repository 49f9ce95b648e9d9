#pragma once
// Parts of `stint run`: what outputs say in words, what precision "auto" tried,
// and the Chrome trace of a run (chrome://tracing, ui.perfetto.dev).

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "stint/session.h"

namespace stint::cli {

// The "answer" of a run: label and probability of a classifier, the vector of
// an embedder, the number of a regression; null where the meaning is unknown.
Json AnswerOf(const Package& package, const std::vector<NamedValue>& outputs);

Json TrialsJson(const std::vector<PrecisionTrial>& trials);
// A line per precision on stderr.
void PrintTrials(const std::vector<PrecisionTrial>& trials);

// Of the last run of a session that was made with `profile`.
Status WriteTrace(const Session& session, const std::string& path);

}  // namespace stint::cli

#pragma once
// A run's steps as a Chrome trace (chrome://tracing, ui.perfetto.dev).

#include <string>

#include "stint/session.h"

namespace stint::cli {

// Of the last run of a session that was made with `profile`.
Status WriteTrace(const Session& session, const std::string& path);

}  // namespace stint::cli

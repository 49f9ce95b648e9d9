#pragma once
// What products on coded weights take on this machine, for `stint device`.

#include <memory>
#include <string>

#include "cli/options/run_options.h"
#include "engine/device/code_costs.h"

namespace stint::cli {

// As remembered, or measured now when there is nothing or `refresh` is set; a
// file that cannot be used is said on stderr.
Result<std::shared_ptr<const CodeCosts>> MeasuredCodes(
    const RunOptions& options, const std::string& folder, bool refresh);

// [{"k", "n", "bits", "rows": [...], "ns": [...]}, ...].
Json CodesToJson(const CodeCosts& costs);
// A few of them, for people.
void PrintCodes(const CodeCosts& costs);

}  // namespace stint::cli

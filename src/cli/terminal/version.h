#pragma once
// Which stint this is.

#include <string>

namespace stint::cli {

std::string Version();  // "0.1.0 (commit)"

}  // namespace stint::cli

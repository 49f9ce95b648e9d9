#pragma once
// Token ids as the inputs of a package's graph.

#include <optional>
#include <string_view>
#include <vector>

#include "weights/package/package.h"

namespace stint {

// Tokenizes a text for the package: one row, in the order of the graph's
// inputs. `max_length` (0: none) and the package's own limit both cut; `pad_to`
// pads. kInvalidArgument when the package takes no text.
Result<std::vector<Value>> TextInputs(const Package& package,
                                      std::string_view text,
                                      std::optional<std::string_view> pair,
                                      const EncodeOptions& options);

}  // namespace stint

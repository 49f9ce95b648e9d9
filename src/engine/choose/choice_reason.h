#pragma once
// Why a kernel was chosen, in one word.

#include <string_view>

namespace stint {

enum class ConvReason { kDefault, kMeasured, kForced, kTuned, kUntuned };
std::string_view ReasonName(ConvReason reason);  // "default", ...

}  // namespace stint

#pragma once
// Values of options that commands take and studies hand on: names of the
// library's enums as CLI::IsMember wants them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

std::vector<std::string> Words(std::span<const std::string_view> names);

std::vector<std::string> IsaWords();  // "sse2" to "amx"

// "fp32", "bf16", "int8"; with "auto" where the fastest within a tolerance may
// be asked for.
std::vector<std::string> PrecisionWords();
std::vector<std::string> PrecisionWordsWithAuto();

// "tuned", "default", "untuned": schedules of convolutions.
std::vector<std::string> ScheduleWords();

// Who plans, as help and messages list it; B is a number of bits.
inline constexpr char kPolicyForms[] =
    "elastic, sti, sti+wait, load-then-run, pipeline:B, resident:B, mean:B";

}  // namespace stint

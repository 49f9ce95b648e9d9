#pragma once
// Values of options that commands take and studies hand on, each list once.

#include <string>
#include <vector>

namespace stint {

// "sse2" to "amx".
std::vector<std::string> IsaWords();

// "fp32", "bf16", "int8"; with "auto" where the fastest within a tolerance may
// be asked for.
std::vector<std::string> PrecisionWords();
std::vector<std::string> PrecisionWordsWithAuto();

// "tuned", "default", "untuned": schedules of convolutions.
std::vector<std::string> ScheduleWords();

// Who plans, as help and messages list it; B is a number of bits.
inline constexpr char kPolicyForms[] =
    "elastic, sti, sti+wait, load-then-run, pipeline:B, resident:B, mean:B";

// Bits of a policy that runs a plain file of 32 bits, "resident:32".
bool IsFullPolicy(const std::string& policy);

}  // namespace stint

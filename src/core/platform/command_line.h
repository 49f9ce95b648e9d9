#pragma once
// The command that started this process, for records of what made a result.

#include <string>
#include <string_view>

namespace stint {

// The words of a command, each ended by a zero byte (as the system keeps them),
// as one would type them: the program without its folder, words that a shell
// would take apart in quotes.
std::string CommandText(std::string_view words);

// That of this process; empty where the system does not say.
std::string OwnCommandText();

}  // namespace stint

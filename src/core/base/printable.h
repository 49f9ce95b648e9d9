#pragma once
// Text from files and command lines as a terminal may show it.

#include <string>
#include <string_view>

namespace stint {

// Control characters would move the cursor or change what is on the screen:
// all but line ends and tabs become "\x1b" or, of two bytes, "\u009b". So do
// bytes that are not UTF-8 ("\xff"). The rest stays as it is.
std::string Printable(std::string_view text);

// Of JSON, what its own rules leave as it is.
std::string PrintableJson(std::string_view json);

}  // namespace stint

#pragma once
// Options that were renamed: the old names are in no help and still work.

#include <string>
#include <vector>

namespace stint::cli {

// `words` are those of the command line after the program's name.
void ReplaceOldNames(std::vector<std::string>* words);

}  // namespace stint::cli

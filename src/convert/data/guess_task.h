#pragma once
// Which task a data set is for, as far as its name tells.

#include <string>

namespace stint {

// "cifar10" for .bin, .bin.gz and .bin.xz; "imagefolder" for folders and .tar;
// empty for everything else: tables of GLUE tasks look alike.
std::string GuessTask(const std::string& data);

}  // namespace stint

#pragma once
// Small files of the system (/proc, /sys), whose size is not known before they
// are read.

#include <cstdint>
#include <optional>
#include <string>

#include "stint/status.h"

namespace stint {

// The content without white space at its end, up to 64 KiB. kNotFound when
// there is no such file, kIo when it may not be read.
Result<std::string> ReadSystemText(const std::string& path);

// The number that the file begins with; kDamaged when it begins with none.
Result<double> ReadSystemNumber(const std::string& path);

}  // namespace stint

#pragma once
// Opens a model as a package, a foreign one before any pass has run.

#include <string>

#include "stint/convert.h"
#include "weights/package/package.h"

namespace stint {

Result<Package> OpenPackage(const std::string& path,
                            const ImportOptions& options);

}  // namespace stint

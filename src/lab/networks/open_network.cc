#include "lab/networks/open_network.h"

#include <algorithm>

#include "core/platform/file.h"
#include "lab/networks/make_network.h"
#include "stint/convert.h"

namespace stint {

bool IsNetworkFile(const std::string& name) { return name.ends_with(".onnx"); }

Result<NetworkFile> OpenNetwork(const std::string& name, uint64_t seed,
                                const std::string& folder) {
  if (IsNetworkFile(name)) {
    ImportOptions plain;
    plain.optimize = false;
    STINT_ASSIGN_OR_RETURN(Model model, ImportModel(name, plain));
    return NetworkFile{BaseName(name), name, std::move(model)};
  }
  STINT_ASSIGN_OR_RETURN(Model model, MakeNetwork(name, seed));
  std::string file = name + ".onnx";
  std::replace(file.begin(), file.end(), '/', '-');
  const std::string path = JoinPath(folder, file);
  STINT_RETURN_IF_ERROR(ExportOnnx(model, path).status());
  return NetworkFile{name, path, std::move(model)};
}

}  // namespace stint

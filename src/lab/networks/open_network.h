#pragma once
// A network of a study: by name, made and written as an ONNX file, or a file.

#include <string>

#include "stint/model.h"

namespace stint {

struct NetworkFile {
  std::string name;  // of the network, or the file's own
  std::string path;  // an .onnx file
  Model model;
};

bool IsNetworkFile(const std::string& name);  // *.onnx

// `name` is one of MakeNetwork or an .onnx file; networks are written into
// `folder`.
Result<NetworkFile> OpenNetwork(const std::string& name, uint64_t seed,
                                const std::string& folder);

}  // namespace stint

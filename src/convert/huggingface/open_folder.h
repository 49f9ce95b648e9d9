#pragma once
// A Hugging Face folder as a package.

#include <string>

#include "weights/package/package.h"

namespace stint {

// Reads config.json, the safetensors weights, the tokenizer and, where they
// are, the files of sentence-transformers. Errors name the file.
Result<Package> OpenHuggingFaceFolder(const std::string& folder);

}  // namespace stint

#pragma once
// Models of other programs: ONNX files and Hugging Face folders in, ONNX and
// .stint files out.
// Link stint_convert.

#include <optional>
#include <set>
#include <string>

#include "stint/model.h"

namespace stint {

struct ImportOptions {
  // For ONNX text models: a folder with tokenizer.json or vocab.txt.
  std::string tokenizer_folder;
  // What to do with [batch, sequence, hidden] of an ONNX text model: "mean",
  // "cls" or "none".
  std::string pooling = "none";
  // Simplify the graph and fuse operators. A model that is to be exported as
  // ONNX has to be imported without.
  bool optimize = true;
  // Names of passes to leave out, as `stint inspect --stages` prints them.
  std::set<std::string> disabled_passes;
};

// `path` is an .onnx file, a folder with config.json and model.safetensors, or
// a .stint file, which is opened as it is. Errors name the file, the object,
// what was expected and what was found; operators that are not supported are
// all named at once (kUnsupported).
Result<Model> ImportModel(const std::string& path,
                          const ImportOptions& options = {});

struct PackOptions {
  std::string
      isa;  // whose layouts weights are stored in; empty: this machine's
  std::string precision = "fp32";  // of the kernels whose layouts they are
  // Of pictures; what the model says when there is none.
  std::optional<Preprocessing> preprocessing;
};

struct PackReport {
  int64_t bytes = 0;
  int64_t packed = 0;  // nodes whose weights are stored in a kernel's layout
};

// Writes the model as a .stint file: graph, tokenizer and weights in the
// layouts of kernels, so that opening it is mapping it. Machines with other
// kernels repack. `model` must have been imported with optimize.
Result<PackReport> PackModel(const Model& model, const std::string& path,
                             const PackOptions& options = {});

struct ExportReport {
  int64_t bytes = 0;
  int64_t nodes = 0;
};

// Writes the model as an ONNX file that other runtimes load.
Result<ExportReport> ExportOnnx(const Model& model, const std::string& path);

}  // namespace stint

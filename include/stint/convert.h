#pragma once
// Models of other programs: ONNX files and Hugging Face folders in, ONNX and
// .stint files out.
// Link stint_convert.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "stint/calibration.h"
#include "stint/model.h"
#include "stint/pooling.h"
#include "stint/target.h"

namespace stint {

struct ImportOptions {
  // For ONNX text models: a folder with tokenizer.json or vocab.txt.
  std::string tokenizer_folder;
  // What to do with [batch, sequence, hidden] of an ONNX text model.
  Pooling pooling = Pooling::kNone;
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
  // Highest fidelity of an elastic file, 2 to 8 bits per weight; 32 writes the
  // plain form.
  int bits = 8;
  // Of tables of which rows are gathered, such as those of words: 4 to 8.
  int row_bits = 4;
  int threads = 0;  // 0: all CPUs of this process
  // Of an elastic file: called now and then with weights done and their total.
  std::function<void(int64_t done, int64_t total)> progress;
  // Of the plain form: whose layouts weights are stored in (absent: this
  // machine's), and the precision, up to kInt8, of the kernels whose layouts
  // they are.
  std::optional<Isa> isa;
  Precision precision = Precision::kFloat32;
  // Of pictures; what the model says when there is none.
  std::optional<Preprocessing> preprocessing;
  // Where to measure the ranges of images between convolutions, which sessions
  // at int8 then need not measure; and, of an elastic file, how much each shard
  // matters (without that, plans go by the distortion of weights and use no
  // sub-networks). kInvalidArgument when there is neither.
  std::optional<CalibrationData> calibration;
  // Of an elastic file: measure what its layers take here and store it, so that
  // the first session on such a machine plans without rehearsing.
  bool profile = false;
};

struct PackReport {
  int64_t bytes = 0;
  int64_t packed = 0;  // nodes whose weights are stored in a kernel's layout
  int64_t layers = 0;  // of shards
  int64_t shards = 0;
  int64_t tables = 0;
  int64_t ranges = 0;    // values whose ranges are stored
  int64_t profiled = 0;  // input shapes whose times are stored
};

// Writes the model as a .stint file: graph, tokenizer and weights. An elastic
// file has big weights as nested codes of 2 bits and more; a plain one in the
// layouts of kernels, so that opening it is mapping it, and machines with other
// kernels repack. `model` must have been imported with optimize.
Result<PackReport> PackModel(const Model& model, const std::string& path,
                             const PackOptions& options = {});

struct ProfileReport {
  int64_t bytes = 0;   // of the file
  int64_t shapes = 0;  // of inputs that were measured
};

// Measures what the layers of the elastic file at `from` take on this machine,
// with so many threads (0: all CPUs of this process), and writes the file with
// these times to `to`, which may be the same. Sessions on machines with the
// same CPU and as many threads use them; times of other machines stay.
Result<ProfileReport> ProfilePackage(const std::string& from,
                                     const std::string& to, int threads = 0);

struct ExportReport {
  int64_t bytes = 0;
  int64_t nodes = 0;
};

// Writes the model as an ONNX file that other runtimes load.
Result<ExportReport> ExportOnnx(const Model& model, const std::string& path);

}  // namespace stint

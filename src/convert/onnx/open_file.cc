#include "convert/onnx/open_file.h"

#include <algorithm>

#include "convert/onnx/import.h"
#include "model/graph/pooling.h"

namespace stint {
namespace {

// What the first output looks like, for models that do not say.
OutputMeaning MeaningOf(const Graph& graph) {
  if (graph.outputs().empty()) return OutputMeaning::kUnknown;
  const GraphValue& output = graph.value(graph.outputs()[0]);
  if (output.name == "sentence_embedding") {
    return OutputMeaning::kSentenceEmbedding;
  }
  if (output.type.ranked && output.type.rank() == 3) {
    return OutputMeaning::kHiddenStates;
  }
  if (output.name == "logits" && output.type.ranked &&
      output.type.rank() == 2) {
    return output.type.dims[1] == 1 ? OutputMeaning::kRegression
                                    : OutputMeaning::kClassLogits;
  }
  return OutputMeaning::kUnknown;
}

}  // namespace

Result<Package> OpenOnnxFile(const std::string& path,
                             const std::string& tokenizer_folder,
                             Pooling pooling) {
  Package package;
  STINT_ASSIGN_OR_RETURN(package.graph, ImportOnnx(path));
  if (!tokenizer_folder.empty()) {
    STINT_ASSIGN_OR_RETURN(package.tokenizer_files,
                           ReadTokenizerFiles(tokenizer_folder));
    auto tokenizer = MakeTokenizer(package.tokenizer_files);
    if (!tokenizer.ok()) return tokenizer.status().Annotate(tokenizer_folder);
    package.tokenizer = std::move(tokenizer).value();
  }
  package.meaning = MeaningOf(*package.graph);
  if (pooling != Pooling::kNone) {
    const Status status = AddPooling(pooling, package.graph.get());
    if (!status.ok()) return status.Annotate(path);
    package.meaning = OutputMeaning::kSentenceEmbedding;
  }
  return package;
}

}  // namespace stint

#pragma once
// Which convolutions of a model become int8, as CompressOptions asks for it.

#include <set>
#include <string>

#include "convert/compress/integers/quantize_graph.h"
#include "stint/compress.h"
#include "weights/package/package.h"

namespace stint {

// Names of layers; empty: by rule. What was measured goes into the report.
// kUnsupported where it shows that none is faster.
Result<std::set<std::string>> ChooseIntegers(const CompressOptions& options,
                                             const Package& package,
                                             const Samples& samples,
                                             ThreadPool* pool,
                                             CompressReport* report);

// Where nothing was measured, the report names the convolutions that stay in
// float.
void NoteFloats(const QuantizedLayers& layers, CompressReport* report);

}  // namespace stint

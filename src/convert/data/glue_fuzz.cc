// Reads arbitrary text as a GLUE file; the first byte picks the task, and how
// many bytes are read at a time, on which nothing may depend.

#include <cstdint>
#include <cstdlib>

#include "convert/data/glue.h"

namespace {

// What the rows and the error of a file are, as one text.
std::string Outcome(stint::GlueTask task, std::string_view text,
                    size_t chunk_bytes) {
  stint::GlueReader reader(
      task, stint::LineReader(std::make_unique<stint::MemoryStream>(text),
                              chunk_bytes));
  std::string outcome;
  for (int64_t rows = 0;; ++rows) {
    const auto row = reader.Next();
    if (!row.ok()) return outcome + row.status().message();
    if (!row->has_value()) {
      if (rows == 0) std::abort();
      return outcome;
    }
    const stint::TextExample& example = **row;
    outcome += example.text + '\n' + example.pair + '\n' +
               std::to_string(example.label) + '\n';
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int kTasks = 6;
  if (size == 0) return 0;
  const auto task = static_cast<stint::GlueTask>(data[0] % kTasks);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1,
                              size - 1);
  const size_t chunk_bytes = 1 + data[0] / kTasks;
  if (Outcome(task, text, chunk_bytes) !=
      Outcome(task, text, stint::LineReader::kChunkBytes)) {
    std::abort();
  }
  return 0;
}

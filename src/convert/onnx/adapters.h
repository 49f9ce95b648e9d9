#pragma once
// The table of ONNX operators whose import is more than copying attributes:
// older versions, operators made of others, other domains.

#include <span>
#include <string_view>
#include <vector>

#include "convert/onnx/node_import.h"

namespace stint::onnx {

struct AdapterRow {
  std::string_view domain;
  std::string_view name;
  // Of the operator's definition, inclusive; 0 for operators that ONNX itself
  // does not define.
  int first_version;
  int last_version;
  Adapter adapt;
};

inline constexpr int kAnyVersion = 1 << 30;

// One list per group; FindAdapter looks through all of them.
std::span<const AdapterRow> ElementwiseAdapters();
std::span<const AdapterRow> ShapeAdapters();
std::span<const AdapterRow> NeuralAdapters();
std::span<const AdapterRow> ResampleAdapters();
std::span<const AdapterRow> DataAdapters();
std::span<const AdapterRow> QuantizeAdapters();
std::span<const AdapterRow> AttentionAdapters();
std::span<const AdapterRow> RecurrentAdapters();

// Null when the operator needs none in that version.
const AdapterRow* FindAdapter(std::string_view domain, std::string_view name,
                              int version);

// An operator that can be imported, with the versions of its definition.
struct SupportedOperator {
  std::string_view domain;
  std::string_view name;
  std::vector<int> versions;  // empty for domains without versions
};
// All of them, by domain and name.
std::vector<SupportedOperator> SupportedOperators();

// Some version of the operator has an adapter or a definition of ours.
bool IsKnownOperator(std::string_view domain, std::string_view name);

}  // namespace stint::onnx

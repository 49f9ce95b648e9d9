#pragma once
// Which opset versions changed which ONNX operator.

#include <span>
#include <string_view>
#include <vector>

namespace stint {

struct OnnxVersion {
  int since;            // opset
  int required_inputs;  // leading inputs that may not be left out
};

struct OnnxSchema {
  std::string_view domain;
  std::string_view name;
  std::vector<OnnxVersion> versions;  // ascending
};

// Every operator of the ONNX domains, by domain and name.
std::span<const OnnxSchema> OnnxSchemas();

// Newest opset of the default domain that the table knows.
inline constexpr int kNewestOpset = 28;

// The version of the operator's definition that an opset import selects: the
// newest that is not above `opset`. 0 when the operator is not defined there.
int SchemaVersion(std::string_view domain, std::string_view name, int opset);

// The newest version that any known opset has; 0 for unknown operators.
int NewestSchemaVersion(std::string_view domain, std::string_view name);

// Leading inputs that a version of an operator cannot do without. Operators
// that the table does not know have one.
int RequiredInputs(std::string_view domain, std::string_view name, int version);

// "ai.onnx" is another spelling of the default domain "".
std::string_view CanonicalDomain(std::string_view domain);

}  // namespace stint

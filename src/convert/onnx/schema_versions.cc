#include "convert/onnx/schema_versions.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace stint {
namespace {

const OnnxSchema* Find(std::string_view domain, std::string_view name) {
  const auto schemas = OnnxSchemas();
  const auto it = std::find_if(
      schemas.begin(), schemas.end(), [&](const OnnxSchema& schema) {
        return schema.domain == domain && schema.name == name;
      });
  return it == schemas.end() ? nullptr : &*it;
}

}  // namespace

std::span<const OnnxSchema> OnnxSchemas() {
  static const std::vector<OnnxSchema> schemas = {
#include "convert/onnx/schema_versions.inc"
  };
  return schemas;
}

int SchemaVersion(std::string_view domain, std::string_view name, int opset) {
  const OnnxSchema* row = Find(domain, name);
  int version = 0;
  if (row == nullptr) return version;
  for (const OnnxVersion& v : row->versions) {
    if (v.since <= opset) version = v.since;
  }
  return version;
}

int RequiredInputs(std::string_view domain, std::string_view name,
                   int version) {
  const OnnxSchema* row = Find(domain, name);
  if (row == nullptr) return 1;
  for (const OnnxVersion& v : row->versions) {
    if (v.since == version) return v.required_inputs;
  }
  return 0;
}

int NewestSchemaVersion(std::string_view domain, std::string_view name) {
  return SchemaVersion(domain, name, std::numeric_limits<int>::max());
}

std::string_view CanonicalDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

}  // namespace stint

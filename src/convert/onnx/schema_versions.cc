#include "convert/onnx/schema_versions.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace stint {
namespace {

struct Version {
  int since;  // opset
  int required_inputs;
};

struct Row {
  std::string_view domain;
  std::string_view name;
  std::initializer_list<Version> versions;  // ascending
};

const Row kRows[] = {
#include "convert/onnx/schema_versions.inc"
};

const Row* Find(std::string_view domain, std::string_view name) {
  const auto it = std::find_if(std::begin(kRows), std::end(kRows),
                               [&](const Row& row) {
                                 return row.domain == domain &&
                                        row.name == name;
                               });
  return it == std::end(kRows) ? nullptr : &*it;
}

}  // namespace

int SchemaVersion(std::string_view domain, std::string_view name, int opset) {
  const Row* row = Find(domain, name);
  int version = 0;
  if (row == nullptr) return version;
  for (const Version& v : row->versions) {
    if (v.since <= opset) version = v.since;
  }
  return version;
}

int RequiredInputs(std::string_view domain, std::string_view name,
                   int version) {
  const Row* row = Find(domain, name);
  if (row == nullptr) return 1;
  for (const Version& v : row->versions) {
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

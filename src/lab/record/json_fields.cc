#include "lab/record/json_fields.h"

#include <cmath>

namespace stint {
namespace {

// Of a line that is no JSON.
constexpr size_t kQuoted = 80;

}  // namespace

Json OrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Result<Json> ParseObject(const std::string& line) {
  Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return Damaged("answered '" + line.substr(0, kQuoted) +
                 "', expected a JSON object");
}

const Json* JsonReader::Find(const char* key) {
  if (!status_.ok()) return nullptr;
  const auto found = json_.find(key);
  if (found != json_.end()) return &*found;
  status_ = Damaged(std::string("key '") + key + "' is missing");
  return nullptr;
}

void JsonReader::Expect(const char* key, const char* type) {
  status_ = Damaged(std::string("key '") + key + "': expected " + type);
}

}  // namespace stint

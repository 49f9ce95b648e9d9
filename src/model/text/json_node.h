#pragma once
// Checked reading of JSON from files: every access names the file and the
// object, and says what was expected and what was found. Nothing throws.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "stint/status.h"

namespace stint {

// kDamaged with the byte offset when `text` is not JSON. `file` is for
// messages.
Result<nlohmann::json> ParseJson(std::string_view text,
                                 const std::string& file);

// One value of a parsed document, which must outlive it, and where it is.
class JsonNode {
 public:
  // The root; `file` starts every message.
  JsonNode(const nlohmann::json& value, const std::string& file)
      : value_(&value), where_(file + ":") {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& where() const { return where_; }

  // A member of an object; kDamaged when this is no object or lacks it.
  Result<JsonNode> Get(const std::string& key) const;
  // Nothing when this is no object, or the member is missing or null.
  std::optional<JsonNode> Find(const std::string& key) const;
  // An element of an array; `index` must be below value().size().
  JsonNode At(size_t index) const;

  Result<std::string> AsString() const;
  Result<int64_t> AsInt() const;
  Result<double> AsDouble() const;
  Result<bool> AsBool() const;
  Status ExpectObject() const;
  Status ExpectArray() const;

  // Members with a default for "missing or null"; a wrong type is an error.
  Result<std::string> StringOr(const std::string& key,
                               std::string fallback) const;
  Result<int64_t> IntOr(const std::string& key, int64_t fallback) const;
  Result<double> DoubleOr(const std::string& key, double fallback) const;
  Result<bool> BoolOr(const std::string& key, bool fallback) const;

  // kDamaged: "file: model.vocab: expected X, found Y".
  Status Expected(std::string_view what) const;

 private:
  JsonNode(const nlohmann::json* value, std::string where)
      : value_(value), where_(std::move(where)) {}
  std::string Child(const std::string& name) const;

  const nlohmann::json* value_;
  std::string where_;  // "file:" or "file: a.b"
};

// `text` shortened for a message, control characters replaced.
std::string Quoted(std::string_view text);

}  // namespace stint

#pragma once
// Fields of a record by their JSON keys: one list of a record's fields, visited
// by a writer or by a reader, says each key once.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>

#include "stint/status.h"

namespace stint {

// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

// Null for what is not known or not finite.
Json OrNull(const std::optional<double>& value);

// The JSON of one line that a program printed; kDamaged, quoting the line, for
// anything but an object.
Result<Json> ParseObject(const std::string& line);

class JsonWriter {
 public:
  explicit JsonWriter(Json* json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    (*json_)[key] = value;
  }
  template <typename T>
  void operator()(const char* key, const std::optional<T>& value) {
    (*json_)[key] = value ? Json(*value) : Json(nullptr);
  }

 private:
  Json* json_;
};

// An optional field may be null, but its key must be there. The first key that
// is missing or of another type is the error.
class JsonReader {
 public:
  explicit JsonReader(const Json& json) : json_(json) {}

  template <typename T>
  void operator()(const char* key, T& value) {
    const Json* found = Find(key);
    if (found != nullptr) Take(key, *found, &value);
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    const Json* found = Find(key);
    if (found == nullptr || found->is_null()) return;
    Take(key, *found, &value.emplace());
  }

  const Status& status() const { return status_; }

 private:
  // Nullptr after an error.
  const Json* Find(const char* key);
  void Expect(const char* key, const char* type);

  template <typename T>
  void Take(const char* key, const Json& json, T* value) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return Expect(key, "true or false");
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!json.is_number()) return Expect(key, "a number");
    } else if (!json.is_string()) {
      return Expect(key, "a text");
    }
    *value = json.get<T>();
  }

  const Json& json_;
  Status status_;
};

}  // namespace stint

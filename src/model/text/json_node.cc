#include "model/text/json_node.h"

namespace stint {
namespace {

using nlohmann::json;

// Accepts everything and remembers where the parser gave up.
class ErrorLocator : public nlohmann::json_sax<json> {
 public:
  size_t offset() const { return offset_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    offset_ = position;
    return false;
  }

 private:
  size_t offset_ = 0;
};

std::string Describe(const json& value) {
  if (value.is_string()) {
    return "string " + Quoted(value.get_ref<const std::string&>());
  }
  if (value.is_object() || value.is_array()) {
    return std::string(value.type_name()) + " of " +
           std::to_string(value.size());
  }
  return value.dump();
}

}  // namespace

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + (text.size() > kLongest ? "...'" : "'");
}

Result<json> ParseJson(std::string_view text, const std::string& file) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_discarded()) return document;
  ErrorLocator locator;
  json::sax_parse(text, &locator);
  return Damaged(file + ": expected JSON, found something else at byte " +
                 std::to_string(locator.offset()) + " of " +
                 std::to_string(text.size()));
}

std::string JsonNode::Child(const std::string& name) const {
  return where_.ends_with(':') ? where_ + " " + name : where_ + "." + name;
}

Result<JsonNode> JsonNode::Get(const std::string& key) const {
  STINT_RETURN_IF_ERROR(ExpectObject());
  const auto it = value_->find(key);
  if (it == value_->end()) return Expected("a member '" + key + "'");
  return JsonNode(&*it, Child(key));
}

std::optional<JsonNode> JsonNode::Find(const std::string& key) const {
  if (!value_->is_object()) return std::nullopt;
  const auto it = value_->find(key);
  if (it == value_->end() || it->is_null()) return std::nullopt;
  return JsonNode(&*it, Child(key));
}

JsonNode JsonNode::At(size_t index) const {
  const char* separator = where_.ends_with(':') ? " [" : "[";
  return JsonNode(&(*value_)[index],
                  where_ + separator + std::to_string(index) + "]");
}

Status JsonNode::Expected(std::string_view what) const {
  return Damaged(where_ +
                 (where_.ends_with(':') ? " expected " : ": expected ") +
                 std::string(what) + ", found " + Describe(*value_));
}

Result<std::string> JsonNode::AsString() const {
  if (!value_->is_string()) return Expected("a string");
  return value_->get_ref<const std::string&>();
}

Result<int64_t> JsonNode::AsInt() const {
  if (value_->is_number_unsigned() &&
      value_->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    return Expected("an integer below 2^63");
  }
  if (!value_->is_number_integer()) return Expected("an integer");
  return value_->get<int64_t>();
}

Result<double> JsonNode::AsDouble() const {
  if (!value_->is_number()) return Expected("a number");
  return value_->get<double>();
}

Result<bool> JsonNode::AsBool() const {
  if (!value_->is_boolean()) return Expected("true or false");
  return value_->get<bool>();
}

Status JsonNode::ExpectObject() const {
  return value_->is_object() ? OkStatus() : Expected("an object");
}

Status JsonNode::ExpectArray() const {
  return value_->is_array() ? OkStatus() : Expected("an array");
}

Result<std::string> JsonNode::StringOr(const std::string& key,
                                       std::string fallback) const {
  const auto node = Find(key);
  return node ? node->AsString() : Result<std::string>(std::move(fallback));
}

Result<int64_t> JsonNode::IntOr(const std::string& key,
                                int64_t fallback) const {
  const auto node = Find(key);
  return node ? node->AsInt() : Result<int64_t>(fallback);
}

Result<double> JsonNode::DoubleOr(const std::string& key,
                                  double fallback) const {
  const auto node = Find(key);
  return node ? node->AsDouble() : Result<double>(fallback);
}

Result<bool> JsonNode::BoolOr(const std::string& key, bool fallback) const {
  const auto node = Find(key);
  return node ? node->AsBool() : Result<bool>(fallback);
}

}  // namespace stint

#pragma once
// A protobuf message as a tree that can be changed and written back, so that a
// fuzzer's inputs stay well formed while their contents change.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

struct ProtoField {
  uint32_t key = 0;                  // number and wire type
  uint64_t number = 0;               // of a varint
  std::string bytes;                 // of everything else that is not a message
  std::vector<ProtoField> children;  // of what reads as a message
};

namespace proto_tree {

enum WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
constexpr int kMaxDepth = 12;
constexpr uint32_t kMaxFieldNumber = 30;

inline std::optional<uint64_t> TakeVarint(std::string_view* text) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !text->empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(text->front());
    text->remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

inline void PutVarint(uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) {
    out->push_back(static_cast<char>(value | 0x80));
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace proto_tree

// Nothing when the text is not a message.
inline std::optional<std::vector<ProtoField>> ParseProto(std::string_view text,
                                                         int depth = 0) {
  using namespace proto_tree;
  std::vector<ProtoField> fields;
  while (!text.empty()) {
    const auto key = TakeVarint(&text);
    if (!key || *key >> 3 == 0 || *key >> 3 > kMaxFieldNumber) {
      return std::nullopt;
    }
    ProtoField field;
    field.key = static_cast<uint32_t>(*key);
    const int wire = static_cast<int>(*key & 7);
    if (wire == kVarint) {
      const auto number = TakeVarint(&text);
      if (!number) return std::nullopt;
      field.number = *number;
    } else {
      std::optional<uint64_t> size;
      if (wire == kFixed64) size = 8;
      if (wire == kFixed32) size = 4;
      if (wire == kBytes) size = TakeVarint(&text);
      if (!size || *size > text.size()) return std::nullopt;
      field.bytes = std::string(text.substr(0, *size));
      text.remove_prefix(*size);
      if (wire == kBytes && !field.bytes.empty() && depth < kMaxDepth) {
        if (auto children = ParseProto(field.bytes, depth + 1)) {
          field.children = std::move(*children);
        }
      }
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

inline std::string WriteProto(const std::vector<ProtoField>& fields) {
  using namespace proto_tree;
  std::string out;
  for (const ProtoField& field : fields) {
    PutVarint(field.key, &out);
    const int wire = static_cast<int>(field.key & 7);
    if (wire == kVarint) {
      PutVarint(field.number, &out);
      continue;
    }
    const std::string content =
        field.children.empty() ? field.bytes : WriteProto(field.children);
    if (wire == kBytes) PutVarint(content.size(), &out);
    out += content;
  }
  return out;
}

}  // namespace stint

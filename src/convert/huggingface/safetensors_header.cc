#include "convert/huggingface/safetensors_header.h"

#include <algorithm>
#include <set>

#include "core/base/checked_math.h"
#include "model/text/json_node.h"

namespace stint {
namespace {

using nlohmann::json;

// The limit of the format's own reader.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kLengthBytes = 8;

struct DTypeRow {
  std::string_view name;
  DType dtype;
};
constexpr DTypeRow kDTypes[] = {
    {"F64", DType::kFloat64},        {"F32", DType::kFloat32},
    {"F16", DType::kFloat16},        {"BF16", DType::kBFloat16},
    {"I64", DType::kInt64},          {"I32", DType::kInt32},
    {"I16", DType::kInt16},          {"I8", DType::kInt8},
    {"U64", DType::kUInt64},         {"U32", DType::kUInt32},
    {"U16", DType::kUInt16},         {"U8", DType::kUInt8},
    {"BOOL", DType::kBool},          {"F8_E4M3", DType::kFloat8E4M3FN},
    {"F8_E5M2", DType::kFloat8E5M2},
};

std::string At(const std::string& file, const std::string& tensor) {
  return file + ": tensor " + Quoted(tensor) + ": ";
}

Result<std::string_view> HeaderText(std::span<const uint8_t> bytes,
                                    const std::string& file) {
  if (bytes.size() < kLengthBytes) {
    return Damaged(file + ": expected 8 bytes of header length, found " +
                   std::to_string(bytes.size()) + " bytes in all");
  }
  uint64_t length = 0;
  for (size_t i = kLengthBytes; i-- > 0;) length = length << 8 | bytes[i];
  const uint64_t most =
      std::min<uint64_t>(bytes.size() - kLengthBytes, kMaxHeaderBytes);
  if (length > most) {
    return Damaged(file + ": expected a header of at most " +
                   std::to_string(most) + " bytes, found length " +
                   std::to_string(length));
  }
  return std::string_view(
      reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
}

// Parses the header; a tensor name that comes twice is an error.
Result<json> ParseHeader(std::string_view text, const std::string& file) {
  std::set<std::string> names;
  std::string twice;
  const auto on_event = [&](int depth, json::parse_event_t event,
                            json& parsed) {
    if (depth == 1 && event == json::parse_event_t::key) {
      const std::string& name = parsed.get_ref<const std::string&>();
      if (!names.insert(name).second) twice = At(file, name);
    }
    return true;
  };
  json header = json::parse(text, on_event, /*allow_exceptions=*/false);
  if (header.is_discarded()) return ParseJson(text, file);
  if (!twice.empty()) return Damaged(twice + "expected once, found twice");
  return header;
}

Result<DType> ReadDType(const JsonNode& node, const std::string& where) {
  STINT_ASSIGN_OR_RETURN(const JsonNode dtype, node.Get("dtype"));
  STINT_ASSIGN_OR_RETURN(const std::string name, dtype.AsString());
  for (const DTypeRow& row : kDTypes) {
    if (row.name == name) return row.dtype;
  }
  return Unsupported(where + "element type " + Quoted(name) +
                     " is not supported");
}

Result<std::vector<int64_t>> ReadSizes(const JsonNode& node,
                                       const std::string& key) {
  STINT_ASSIGN_OR_RETURN(const JsonNode list, node.Get(key));
  STINT_RETURN_IF_ERROR(list.ExpectArray());
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < list.value().size(); ++i) {
    const JsonNode item = list.At(i);
    STINT_ASSIGN_OR_RETURN(const int64_t size, item.AsInt());
    if (size < 0) return item.Expected("a number from 0");
    sizes.push_back(size);
  }
  return sizes;
}

Result<SafetensorsEntry> ReadEntry(const std::string& name,
                                   const JsonNode& node,
                                   const std::string& file) {
  const std::string where = At(file, name);
  SafetensorsEntry entry;
  entry.name = name;
  STINT_ASSIGN_OR_RETURN(entry.dtype, ReadDType(node, where));
  STINT_ASSIGN_OR_RETURN(entry.shape, ReadSizes(node, "shape"));
  STINT_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets,
                         ReadSizes(node, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    return Damaged(where + "expected two ascending data_offsets, found " +
                   ToString(offsets));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  const Result<int64_t> count = ElementCount(entry.shape);
  if (!count.ok()) return Damaged(where + count.status().message());
  int64_t bytes = 0;
  const auto size = static_cast<int64_t>(DTypeSize(entry.dtype));
  if (!CheckedMul(*count, size, &bytes) || bytes != entry.end - entry.begin) {
    return Damaged(where + std::string(DTypeName(entry.dtype)) +
                   ToString(entry.shape) + " needs " + std::to_string(*count) +
                   " times " + std::to_string(size) + " bytes, found " +
                   std::to_string(entry.end - entry.begin));
  }
  return entry;
}

// Sorts the entries and checks that they fill `data_bytes` exactly.
Status CheckCover(std::vector<SafetensorsEntry>* entries, int64_t data_bytes,
                  const std::string& file) {
  std::sort(entries->begin(), entries->end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
  int64_t covered = 0;
  for (const SafetensorsEntry& entry : *entries) {
    if (entry.begin != covered) {
      return Damaged(At(file, entry.name) + "expected data offset " +
                     std::to_string(covered) + " (end of the one before), " +
                     "found " + std::to_string(entry.begin));
    }
    if (entry.end > data_bytes) {
      return Damaged(At(file, entry.name) + "ends at data offset " +
                     std::to_string(entry.end) + ", the file has " +
                     std::to_string(data_bytes) + " bytes of data");
    }
    covered = entry.end;
  }
  if (covered == data_bytes) return OkStatus();
  return Damaged(file + ": tensors cover " + std::to_string(covered) +
                 " bytes of data, the file has " + std::to_string(data_bytes));
}

}  // namespace

Result<SafetensorsHeader> ReadSafetensorsHeader(std::span<const uint8_t> bytes,
                                                const std::string& file) {
  STINT_ASSIGN_OR_RETURN(const std::string_view text, HeaderText(bytes, file));
  STINT_ASSIGN_OR_RETURN(const json document, ParseHeader(text, file));
  const JsonNode root(document, file);
  STINT_RETURN_IF_ERROR(root.ExpectObject());
  SafetensorsHeader header;
  header.data = bytes.subspan(kLengthBytes + text.size());
  for (auto it = document.begin(); it != document.end(); ++it) {
    if (it.key() == "__metadata__") continue;
    STINT_ASSIGN_OR_RETURN(const JsonNode node, root.Get(it.key()));
    STINT_ASSIGN_OR_RETURN(SafetensorsEntry entry,
                           ReadEntry(it.key(), node, file));
    header.entries.push_back(std::move(entry));
  }
  STINT_RETURN_IF_ERROR(CheckCover(
      &header.entries, static_cast<int64_t>(header.data.size()), file));
  return header;
}

}  // namespace stint

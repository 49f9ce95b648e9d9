#include "convert/huggingface/safetensors.h"

#include <algorithm>
#include <cstring>

#include "convert/huggingface/safetensors_header.h"
#include "core/platform/file.h"
#include "model/text/json_node.h"

namespace stint {
namespace {

bool IsAligned(const void* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

}  // namespace

Result<Safetensors> Safetensors::Read(
    std::span<const uint8_t> bytes, const std::string& file,
    std::shared_ptr<const MappedFile> keep_alive) {
  STINT_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ReadSafetensorsHeader(bytes, file));
  const auto shared_file = std::make_shared<const std::string>(file);
  Safetensors result;
  result.source_ = file;
  for (SafetensorsEntry& entry : header.entries) {
    result.entries_[entry.name] = {
        entry.dtype, std::move(entry.shape),
        header.data.subspan(entry.begin, entry.end - entry.begin), shared_file,
        keep_alive};
  }
  return result;
}

Result<Safetensors> Safetensors::OpenFile(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file,
                         MappedFile::Open(path));
  return Read(file->bytes(), path, file);
}

Result<Safetensors> Safetensors::OpenIndex(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(path));
  STINT_ASSIGN_OR_RETURN(const nlohmann::json document,
                         ParseJson(content, path));
  STINT_ASSIGN_OR_RETURN(const JsonNode map,
                         JsonNode(document, path).Get("weight_map"));
  STINT_RETURN_IF_ERROR(map.ExpectObject());
  Safetensors result;
  result.source_ = path;
  std::map<std::string, Safetensors> parts;
  for (auto it = map.value().begin(); it != map.value().end(); ++it) {
    STINT_ASSIGN_OR_RETURN(const JsonNode node, map.Get(it.key()));
    STINT_ASSIGN_OR_RETURN(const std::string name, node.AsString());
    if (name.empty() || BaseName(name) != name) {
      return node.Expected("a file of the same folder");
    }
    if (!parts.contains(name)) {
      STINT_ASSIGN_OR_RETURN(parts[name],
                             OpenFile(JoinPath(DirectoryOf(path), name)));
    }
    const auto entry = parts[name].entries_.find(it.key());
    if (entry == parts[name].entries_.end()) {
      return Damaged(path + ": tensor " + Quoted(it.key()) + ": expected in " +
                     Quoted(name) + ", found none there");
    }
    result.entries_.insert(*entry);
  }
  return result;
}

Result<Safetensors> Safetensors::OpenFolder(const std::string& folder) {
  const std::string single = JoinPath(folder, "model.safetensors");
  if (FileExists(single)) return OpenFile(single);
  const std::string index = JoinPath(folder, "model.safetensors.index.json");
  if (FileExists(index)) return OpenIndex(index);
  return NotFound(folder +
                  ": expected model.safetensors or "
                  "model.safetensors.index.json, found neither");
}

std::vector<std::string> Safetensors::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Result<Tensor> Safetensors::Get(const std::string& name) const {
  const auto it = entries_.find(name);
  if (it == entries_.end()) {
    return NotFound(source_ + ": expected tensor " + Quoted(name) +
                    ", found none among " + std::to_string(entries_.size()));
  }
  const Entry& entry = it->second;
  if (entry.dtype == DType::kBool) {
    const auto bad = std::find_if(entry.bytes.begin(), entry.bytes.end(),
                                  [](uint8_t byte) { return byte > 1; });
    if (bad != entry.bytes.end()) {
      return Damaged(*entry.file + ": tensor " + Quoted(name) + ": element " +
                     std::to_string(bad - entry.bytes.begin()) +
                     ": expected 0 or 1, found " + std::to_string(*bad));
    }
  }
  if (IsAligned(entry.bytes.data(), DTypeSize(entry.dtype))) {
    return Tensor::Borrow(
        entry.dtype, entry.shape, const_cast<uint8_t*>(entry.bytes.data()),
        entry.keep_alive == nullptr
            ? nullptr
            : MappedFile::Hold(entry.keep_alive, entry.bytes));
  }
  STINT_ASSIGN_OR_RETURN(Tensor copy,
                         Tensor::Allocate(entry.dtype, entry.shape));
  if (!entry.bytes.empty()) {
    std::memcpy(copy.raw(), entry.bytes.data(), entry.bytes.size());
  }
  if (entry.keep_alive != nullptr) entry.keep_alive->Release(entry.bytes);
  return copy;
}

}  // namespace stint

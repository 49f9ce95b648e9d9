#include "engine/device/machine_cache.h"

#include <cstdint>
#include <cstdio>

#include "core/platform/file.h"

namespace stint {
namespace {

constexpr std::string_view kChecksum = "checksum ";

// FNV-1a, 64 bits, in hex.
std::string Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  char hex[17];
  std::snprintf(hex, sizeof(hex), "%016llx",
                static_cast<unsigned long long>(hash));
  return hex;
}

}  // namespace

MachineKey MachineKey::Here(Isa isa, int threads) {
  return {CpuModel(), AvailableCpus(), isa, threads};
}

std::string MachineKey::ToString() const {
  return cpu + "; cores " + std::to_string(cores) + "; isa " +
         std::string(IsaName(isa)) + "; threads " + std::to_string(threads) +
         "; kernels " + std::to_string(kKernelVersion);
}

MachineCache::MachineCache(std::string_view folder, std::string_view kind,
                           const MachineKey& key)
    : MachineCache(folder, kind, key.ToString()) {}

MachineCache::MachineCache(std::string_view folder, std::string_view kind,
                           const std::string& key)
    : head_("stint " + std::string(kind) + " 1\nmachine " + key + "\n"),
      path_(JoinPath(folder, std::string(kind) + "-" + Hash(key))) {}

Result<std::string> MachineCache::Read() const {
  STINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_));
  const size_t end = text.rfind(kChecksum);
  if (end == std::string::npos ||
      text.substr(end) != std::string(kChecksum) +
                              Hash(std::string_view(text).substr(0, end)) +
                              "\n") {
    return Damaged(path_ + ": the checksum is wrong or missing");
  }
  if (!text.starts_with(head_)) {
    return Damaged(path_ + ": measured on another machine");
  }
  return text.substr(head_.size(), end - head_.size());
}

Status MachineCache::Write(std::string_view body) const {
  STINT_RETURN_IF_ERROR(MakeDirectories(DirectoryOf(path_)));
  std::string text = head_;
  text.append(body);
  text += std::string(kChecksum) + Hash(text) + "\n";
  return WriteFileAtomically(path_, text);
}

}  // namespace stint

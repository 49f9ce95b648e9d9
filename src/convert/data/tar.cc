#include "convert/data/tar.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace stint {
namespace {

constexpr size_t kBlockBytes = 512;

struct Field {
  size_t offset;
  size_t length;
};
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr size_t kType = 156;
constexpr Field kMagic{257, 6};
constexpr Field kPrefix{345, 155};

using Block = std::span<const uint8_t>;

// A text field up to its first zero byte.
std::string Text(Block block, Field field) {
  const auto* begin =
      reinterpret_cast<const char*>(block.data()) + field.offset;
  return {begin, std::find(begin, begin + field.length, '\0')};
}

// An octal number surrounded by blanks; nothing when it is none.
std::optional<uint64_t> Octal(Block block, Field field) {
  uint64_t value = 0;
  bool any = false;
  for (const char c : Text(block, field)) {
    if (c == ' ' && !any) continue;
    if (c == ' ') break;
    if (c < '0' || c > '7') return std::nullopt;
    value = value * 8 + static_cast<uint64_t>(c - '0');  // <= 12 digits
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

bool AllZero(Block block) {
  return std::all_of(block.begin(), block.end(),
                     [](uint8_t b) { return b == 0; });
}

// The sum of the header's bytes, its own field counted as blanks.
uint64_t Checksum(Block block) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlockBytes; ++i) {
    const bool own = i - kChecksum.offset < kChecksum.length;
    sum += own ? ' ' : block[i];
  }
  return sum;
}

std::string EntryName(Block block) {
  const std::string name = Text(block, kName);
  // Only POSIX archives have a prefix; GNU keeps other things there.
  if (Text(block, kMagic) != "ustar") return name;
  const std::string prefix = Text(block, kPrefix);
  return prefix.empty() ? name : prefix + "/" + name;
}

Status DamagedAt(size_t offset, const std::string& what) {
  return Damaged("tar entry at offset " + std::to_string(offset) + ": " + what);
}

// The size of the entry whose header is `block`, after checking the header.
Result<uint64_t> EntrySize(Block block, size_t offset) {
  const std::optional<uint64_t> stored = Octal(block, kChecksum);
  const uint64_t computed = Checksum(block);
  if (stored != computed) {
    return DamagedAt(offset, "header checksum is " + std::to_string(computed) +
                                 ", expected " +
                                 (stored ? std::to_string(*stored) : "octal"));
  }
  const std::optional<uint64_t> size = Octal(block, kSize);
  if (!size) return DamagedAt(offset, "size is not an octal number");
  return *size;
}

}  // namespace

Result<std::vector<TarEntry>> ReadTar(std::span<const uint8_t> archive) {
  return ReadTar(archive, [](size_t) {});
}

Result<std::vector<TarEntry>> ReadTar(std::span<const uint8_t> archive,
                                      FunctionRef<void(size_t)> passed) {
  std::vector<TarEntry> entries;
  std::string long_name;  // from a GNU record before the entry it names
  size_t offset = 0;
  while (archive.size() - offset >= kBlockBytes) {
    const Block block = archive.subspan(offset, kBlockBytes);
    if (AllZero(block)) return entries;
    STINT_ASSIGN_OR_RETURN(const uint64_t size, EntrySize(block, offset));
    const size_t available = archive.size() - offset - kBlockBytes;
    if (size > available) {
      return DamagedAt(offset, "content of " + std::to_string(size) +
                                   " bytes is cut off after " +
                                   std::to_string(available));
    }
    const auto content = archive.subspan(offset + kBlockBytes, size);
    const uint8_t type = block[kType];
    if (type == 'L') {
      long_name = Text(content, {0, content.size()});
    } else {
      if (type == '0' || type == '\0') {
        entries.push_back(
            {long_name.empty() ? EntryName(block) : long_name, content});
      }
      long_name.clear();
    }
    const size_t padded = (size + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    offset += kBlockBytes + std::min<size_t>(padded, available);
    passed(offset);
  }
  return DamagedAt(offset, "the archive ends without its closing zeros");
}

}  // namespace stint

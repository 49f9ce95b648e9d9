#include "core/platform/command_line.h"

#include "core/platform/file.h"
#include "core/platform/system_text.h"

namespace stint {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    "_-+=./,:@%";

// 'it'\''s' for what a shell would not leave alone.
std::string Quoted(std::string_view word) {
  if (!word.empty() &&
      word.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string CommandText(std::string_view words) {
  std::string text;
  for (size_t begin = 0; begin < words.size();) {
    size_t end = words.find('\0', begin);
    if (end == std::string_view::npos) end = words.size();
    const std::string_view word = words.substr(begin, end - begin);
    text += begin == 0 ? Quoted(BaseName(word)) : ' ' + Quoted(word);
    begin = end + 1;
  }
  return text;
}

std::string OwnCommandText() {
  const auto words = ReadSystemText("/proc/self/cmdline");
  return words.ok() ? CommandText(*words) : "";
}

}  // namespace stint

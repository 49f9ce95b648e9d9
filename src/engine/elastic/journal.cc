#include "engine/elastic/journal.h"

#include <cstdio>
#include <sstream>

#include "core/platform/file.h"

namespace stint {

Journal::Journal(std::string path, std::string head)
    : path_(std::move(path)), head_(std::move(head)) {
  if (path_.empty()) return;
  const auto text = ReadFile(path_);
  if (!text.ok()) return;
  std::istringstream in(*text);
  std::string line;
  if (!std::getline(in, line) || line != head_) return;
  std::string name;
  double value = 0;
  while (in >> name >> value) done_[name] = value;
}

const double* Journal::Find(const std::string& name) const {
  const auto it = done_.find(name);
  return it == done_.end() ? nullptr : &it->second;
}

Status Journal::Add(const std::string& name, double value) {
  done_[name] = value;
  if (path_.empty()) return OkStatus();
  std::string text = head_ + "\n";
  for (const auto& [key, number] : done_) {
    char line[64];
    std::snprintf(line, sizeof(line), " %.17g\n", number);
    text += key + line;
  }
  return WriteFileAtomically(path_, text);
}

void Journal::Remove() const {
  if (!path_.empty()) (void)RemoveFile(path_);
}

}  // namespace stint

#include "lab/stack/file_identity.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/base/checksum.h"
#include "core/platform/file.h"
#include "lab/stack/stack_commands.h"

namespace stint {
namespace {

namespace fs = std::filesystem;

uint64_t TextChecksum(const std::string& text) {
  return Checksum({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

std::string HashText(const std::string& text) {
  char hash[24];
  std::snprintf(
      hash, sizeof(hash), "%012llx",
      static_cast<unsigned long long>(TextChecksum(text) & 0xffffffffffff));
  return hash;
}

// A line that stands for the file's content.
Result<std::string> LineOf(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  return std::to_string(Checksum(file->bytes())) + " " +
         std::to_string(file->bytes().size()) + "\n";
}

// What belongs to the path: itself, external data, or a folder's files.
std::vector<std::string> FilesAt(const std::string& path) {
  std::error_code error;
  std::vector<std::string> files;
  if (fs::is_directory(path, error)) {
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (entry.is_regular_file(error)) files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  files.push_back(path);
  for (const char* ending : {".data", "_data"}) {
    if (FileExists(path + ending)) files.push_back(path + ending);
  }
  return files;
}

}  // namespace

Result<std::string> ContentHash(const std::string& path) {
  std::string text;
  const bool folder = DirectoryExists(path);
  for (const std::string& file : FilesAt(path)) {
    STINT_ASSIGN_OR_RETURN(const std::string line, LineOf(file));
    if (folder) text += fs::path(file).lexically_relative(path).string() + " ";
    text += line;
  }
  return HashText(text);
}

Status IdentifyFiles(StackStudyOptions* options) {
  for (std::string& model : options->models) {
    STINT_ASSIGN_OR_RETURN(std::string text, ContentHash(model));
    const std::vector<std::string> words = PreprocessingOf(*options, model);
    for (const std::string& word : words) text += " " + word;
    const std::string content = HashText(text);
    options->files[content] = model;
    if (options->preprocessing_of.contains(model)) {
      options->preprocessing_of[content] = words;
    }
    model = fs::path(model).filename().string() + "@" + content;
  }
  STINT_ASSIGN_OR_RETURN(options->data_content, ContentHash(options->data));
  if (options->calibration.empty()) return OkStatus();
  STINT_ASSIGN_OR_RETURN(options->calibration_content,
                         ContentHash(options->calibration));
  return OkStatus();
}

Status TakeKnownNames(const Study& study, StudyDatabase* database,
                      StackStudyOptions* options) {
  STINT_ASSIGN_OR_RETURN(const int64_t id, database->StudyId(study));
  STINT_ASSIGN_OR_RETURN(const auto known, database->AxisValues(id, "model"));
  for (std::string& model : options->models) {
    for (const std::string& name : known) {
      if (ContentOf(name) == ContentOf(model)) model = name;
    }
  }
  return OkStatus();
}

std::string FileOfModel(const StackStudyOptions& options,
                        const std::string& model) {
  const auto file = options.files.find(ContentOf(model));
  return file == options.files.end() ? model : file->second;
}

std::string ContentOf(const std::string& model) {
  const size_t at = model.rfind('@');
  return at == std::string::npos ? model : model.substr(at + 1);
}

}  // namespace stint

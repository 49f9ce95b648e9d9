#include "lab/stack/tuned_schedules.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "core/base/checksum.h"
#include "core/platform/cache_folder.h"
#include "core/platform/file.h"
#include "lab/record/model_record.h"
#include "lab/stack/stack_commands.h"
#include "lab/study/run_program.h"

namespace stint {
namespace {

namespace fs = std::filesystem;

// In the folder of schedules: what tuning left.
constexpr char kMark[] = "tuned.json";
// Files of the cache by which kernels are chosen: costs measured by `stint
// device --primitives`, and what `stint tune` found.
constexpr char kCosts[] = "conv-";
constexpr char kSchedules[] = "schedules-";

std::string Inside(const std::string& folder) {
  return JoinPath(folder, "stint");  // as CacheFolder has it
}

std::vector<std::string> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Of names and contents, without the trials that tuning keeps for itself.
Result<std::string> ChecksumOf(const std::string& folder) {
  std::string all;
  for (const std::string& file : FilesOf(Inside(folder))) {
    const std::string name = fs::path(file).filename().string();
    if (!name.starts_with(kCosts) && !name.starts_with(kSchedules)) continue;
    STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
    all += name + "\n" + content + "\n";
  }
  char text[32];
  std::snprintf(
      text, sizeof(text), "%016llx",
      static_cast<unsigned long long>(Checksum(
          {reinterpret_cast<const uint8_t*>(all.data()), all.size()})));
  return std::string(text);
}

// The costs that this machine's user has measured.
Status CopyCosts(const std::string& folder) {
  STINT_RETURN_IF_ERROR(MakeDirectories(Inside(folder)));
  for (const std::string& file : FilesOf(CacheFolder())) {
    const std::string name = fs::path(file).filename().string();
    if (!name.starts_with(kCosts)) continue;
    STINT_ASSIGN_OR_RETURN(const std::string content, ReadFile(file));
    STINT_RETURN_IF_ERROR(
        WriteFileAtomically(JoinPath(Inside(folder), name), content));
  }
  return OkStatus();
}

struct Mark {
  std::string schedules;
  int64_t layers = 0;
};

Result<Mark> ReadMark(const std::string& folder) {
  STINT_ASSIGN_OR_RETURN(const std::string text,
                         ReadFile(JoinPath(folder, kMark)));
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("schedules") ||
      !json["schedules"].is_string() || !json.contains("layers") ||
      !json["layers"].is_number_integer()) {
    return Damaged(JoinPath(folder, kMark) + ": cannot be read");
  }
  return Mark{json["schedules"].get<std::string>(),
              json["layers"].get<int64_t>()};
}

Status Tune(const StackStudyOptions& options, const Point& point,
            const std::string& file) {
  const std::string folder = ScheduleFolder(point, file);
  // What a study that was killed left of it would count as tuned.
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  STINT_RETURN_IF_ERROR(CopyCosts(folder));
  STINT_ASSIGN_OR_RETURN(const auto command,
                         StackTuneCommand(options, point, file));
  STINT_ASSIGN_OR_RETURN(const ProgramAnswer answer,
                         RunProgram(command, options.timeout_seconds));
  if (!answer.exit.ok()) return IoError(answer.Reason());
  STINT_ASSIGN_OR_RETURN(const std::string schedules, ChecksumOf(folder));
  STINT_ASSIGN_OR_RETURN(const int64_t layers, CountTuned(answer.line));
  const Json mark = {{"schedules", schedules},
                     {"layers", layers},
                     {"budget", options.tune_budget}};
  return WriteFileAtomically(JoinPath(folder, kMark), mark.dump());
}

}  // namespace

std::string ScheduleFolder(const Point& point, const std::string& file) {
  if (ValueOf(point.treatment, "code") != "tuned") return "";
  return file + "." + ValueOf(point.condition, "compute") + ".schedules";
}

Result<std::string> TuneOnce(const StackStudyOptions& options,
                             const Point& point, const std::string& file) {
  const std::string folder = ScheduleFolder(point, file);
  if (folder.empty()) return std::string();
  if (!FileExists(JoinPath(folder, kMark))) {
    STINT_RETURN_IF_ERROR(Tune(options, point, file));
  }
  STINT_ASSIGN_OR_RETURN(const Mark mark, ReadMark(folder));
  STINT_ASSIGN_OR_RETURN(const std::string found, ChecksumOf(folder));
  if (found == mark.schedules) return found;
  return Mismatch(folder + ": schedules " + found + ", expected " +
                  mark.schedules +
                  " as `stint tune` left them; remove the folder to tune "
                  "again");
}

Status CheckTuned(const Point& point, const std::string& file,
                  const std::vector<StepRecord>& steps) {
  const std::string folder = ScheduleFolder(point, file);
  // A forced primitive has a tuned schedule only where it is the tuned one.
  if (folder.empty() || ValueOf(point.treatment, "primitive") != "auto") {
    return OkStatus();
  }
  STINT_ASSIGN_OR_RETURN(const Mark mark, ReadMark(folder));
  if (mark.layers == 0) return OkStatus();
  const bool any = std::any_of(
      steps.begin(), steps.end(),
      [](const StepRecord& step) { return step.reason == "tuned"; });
  if (any) return OkStatus();
  return Mismatch(std::to_string(mark.layers) +
                  " layers were tuned and none runs so: schedules are of "
                  "another machine or version");
}

}  // namespace stint

#include "convert/data/guess_task.h"

#include "core/platform/file.h"

namespace stint {

std::string GuessTask(const std::string& data) {
  for (const char* ending : {".bin", ".bin.gz", ".bin.xz"}) {
    if (data.ends_with(ending)) return "cifar10";
  }
  for (const char* ending : {".txt", ".txt.gz", ".txt.xz"}) {
    if (data.ends_with(ending)) return "text";
  }
  if (data.ends_with(".tar") || DirectoryExists(data)) return "imagefolder";
  return "";
}

}  // namespace stint

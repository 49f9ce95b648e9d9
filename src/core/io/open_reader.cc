#include "core/io/open_reader.h"

#include "core/io/pread_reader.h"
#include "core/io/uring_reader.h"

namespace stint {
namespace {

// Two keep a drive busy while one of them wakes up; phones lose by more.
constexpr int kPreadThreads = 2;

}  // namespace

Result<OpenedReader> OpenReader(const std::string& path,
                                const ReaderOptions& options) {
  OpenedReader opened;
  if (options.uring) {
    auto uring = OpenUringReader(path, options.depth);
    if (uring.ok()) {
      opened.reader = LimitRate(std::move(*uring), options.device);
      return opened;
    }
    if (uring.status().code() != StatusCode::kUnsupported) {
      return uring.status();
    }
    opened.fallback = uring.status().message();
  } else {
    opened.fallback = "asked for";
  }
  STINT_ASSIGN_OR_RETURN(auto reader,
                         OpenPreadReader(path, options.depth, kPreadThreads));
  opened.reader = LimitRate(std::move(reader), options.device);
  return opened;
}

}  // namespace stint

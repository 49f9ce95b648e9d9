#pragma once
// The reader that suits a file on this system.

#include <memory>
#include <string>

#include "core/io/block_reader.h"
#include "core/io/storage_rate.h"

namespace stint {

struct ReaderOptions {
  int depth = 8;
  bool uring = true;                   // false: pread threads
  std::shared_ptr<SlowDevice> device;  // null: storage as it is
};

struct OpenedReader {
  std::unique_ptr<BlockReader> reader;
  std::string fallback;  // why it is not io_uring; empty when it is
};

Result<OpenedReader> OpenReader(const std::string& path,
                                const ReaderOptions& options);

}  // namespace stint

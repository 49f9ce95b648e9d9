#pragma once
// Reads of aligned blocks of one file, several at a time, in the background.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "stint/status.h"

namespace stint {

// What offsets, addresses and sizes of reads are multiples of.
inline constexpr int64_t kBlockBytes = 4096;

struct BlockRead {
  int64_t offset = 0;
  std::span<uint8_t> to;  // stays where it is until the read is done
  uint64_t tag = 0;       // the caller's name of this read
};

struct BlockDone {
  uint64_t tag = 0;
  Status status;  // kIo names the file and the offset
};

// Used by one thread at a time. When it is destroyed it first waits for the
// reads in flight, so that nobody writes into their memory afterwards.
class BlockReader {
 public:
  virtual ~BlockReader() = default;

  // How it reads: "io_uring", "pread threads", "memory".
  virtual std::string_view method() const = 0;
  // Most reads in flight at once.
  virtual int depth() const = 0;

  // Memory that most reads will go to, for systems that want to know before.
  virtual void Register(std::span<uint8_t> /*memory*/) {}

  // Begins a read. There are fewer than depth() in flight.
  virtual Status Start(const BlockRead& read) = 0;

  // One read that is done, in any order; nothing when none is within
  // `timeout_ns`, or when none is in flight.
  virtual Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) = 0;

  // Whether reads go on without a CPU, so that nothing is gained by leaving
  // one to them.
  virtual bool reads_without_cpu() const { return false; }
};

// How long a wait is worth a CPU: several times what waking up takes.
inline constexpr int64_t kAwakeNs = 200'000;

// Waits as the reader does, but awake for the first kAwakeNs.
Result<std::optional<BlockDone>> WaitAwake(BlockReader* reader,
                                           int64_t timeout_ns);

// kInvalidArgument unless offset, address and size are aligned and not empty.
Status CheckAligned(const BlockRead& read);

}  // namespace stint

#pragma once
// What the resident memory of this process consists of, by kinds of mappings.

#include <cstdint>

#include "stint/status.h"

namespace stint {

// Bytes that are resident now; together what the system counts as the
// process's resident memory.
struct ResidentParts {
  int64_t program = 0;    // code and constants, of libraries too
  int64_t variables = 0;  // pages of the program and libraries it has written
  int64_t heap = 0;       // the heap proper; its large blocks are below
  int64_t stacks = 0;     // of all threads
  int64_t rings = 0;      // shared with the kernel by io_uring
  int64_t files = 0;      // mapped
  int64_t blocks = 0;     // anonymous: large blocks, reserved pages
  int64_t other = 0;      // shared memory, what the kernel maps

  int64_t total() const {
    return program + variables + heap + stacks + rings + files + blocks + other;
  }
};

// Takes about a millisecond. kNotFound where the system does not tell.
Result<ResidentParts> ReadResidentParts();

}  // namespace stint

#pragma once
// Images between plain [batch, channels, plane] and blocked [batch, blocks,
// plane, block]; channels past the last become zeros in the blocked one.

#include <cstdint>

namespace stint {

class ThreadPool;

struct ReorderF32Args {
  int64_t batch = 1;
  int64_t channels = 0;
  int64_t plane = 0;  // pixels
  int64_t block = 0;  // channels per block
  const float* x = nullptr;
  float* y = nullptr;
};

void PlainToBlockedF32(const ReorderF32Args& args, ThreadPool* pool);
void BlockedToPlainF32(const ReorderF32Args& args, ThreadPool* pool);

}  // namespace stint

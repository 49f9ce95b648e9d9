#include <memory>
#include <new>

#include "core/platform/thread_pool.h"
#include "engine/profile/best_rate.h"
#include "engine/profile/measure_device.h"
#include "kernels/limits/limits.h"

namespace stint {
namespace {

constexpr double kMs = 60;  // for each figure

// Bytes that each thread reads over and over. Half of a small L2; more than an
// L2 of 2 MB and little of an L3; more than a thread's share of any L3.
constexpr int64_t kL2Bytes = 512 << 10;
constexpr int64_t kL3Bytes = 6 << 20;
constexpr int64_t kDramBytes = 96 << 20;
// A call reads so much of it, and the next call what follows.
constexpr int64_t kPieceBytes = 12 << 20;

double ReadRate(const LimitLoops& loops, const float* data, int64_t bytes,
                ThreadPool* pool) {
  const int64_t piece = std::min(bytes, kPieceBytes);
  int64_t turn = 0;
  volatile float sink = 0;
  const double rate =
      BestRate(static_cast<double>(piece * pool->threads()), kMs, [&] {
        pool->ParallelParts([&](int part) {
          const int64_t at = part * bytes + turn % (bytes / piece) * piece;
          const float sum = loops.read(data + at / 4, piece / 4);
          if (part == 0) sink = sum;
        });
        ++turn;
      });
  return rate * 1e-9;
}

// Threads that wait for each other suffer most from others on the machine, so
// a sum below one thread's rate is measured again a few times; together they
// are never slower than one.
CoreAndAll ReadRates(const LimitLoops& loops, const float* data, int64_t bytes,
                     ThreadPool* pool) {
  ThreadPool one(1);
  CoreAndAll figure;
  figure.core = figure.all = ReadRate(loops, data, bytes, &one);
  for (int tries = 0; pool->threads() > 1 && tries < 3; ++tries) {
    figure.all = std::max(figure.all, ReadRate(loops, data, bytes, pool));
    if (figure.all > figure.core) break;
  }
  return figure;
}

struct Free {
  void operator()(float* p) const {
    ::operator delete[](p, std::align_val_t{4096});
  }
};

}  // namespace

void MeasureMemory(Isa isa, ThreadPool* pool, DeviceProfile* profile) {
  const LimitLoops& loops = PickLimitLoops(isa);
  const int64_t floats = kDramBytes / 4 * pool->threads();
  const std::unique_ptr<float[], Free> data(
      new (std::align_val_t{4096}) float[static_cast<size_t>(floats)]);
  // Touched by the thread that reads it.
  pool->ParallelParts([&](int part) {
    std::fill_n(data.get() + part * kDramBytes / 4, kDramBytes / 4, 1.0f);
  });
  const auto both = [&](int64_t bytes) {
    return ReadRates(loops, data.get(), bytes, pool);
  };
  profile->l2_gbps = both(kL2Bytes);
  profile->l3_gbps = both(kL3Bytes);
  profile->dram_gbps = both(kDramBytes);
}

}  // namespace stint

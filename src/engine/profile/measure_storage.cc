#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/io/open_reader.h"
#include "core/meter/statistics.h"
#include "core/platform/clock.h"
#include "core/platform/direct_file.h"
#include "core/platform/file.h"
#include "engine/profile/measure_device.h"

namespace stint {
namespace {

constexpr int64_t kFileBytes = 32 << 20;
constexpr int64_t kFirstRequest = 4 << 10;
constexpr int64_t kLastRequest = 8 << 20;
constexpr double kMs = 60;  // for each size and depth
// As the readers that stream have.
const int kDepth = ReaderOptions().depth;

struct Free {
  void operator()(uint8_t* p) const {
    ::operator delete[](p, std::align_val_t{kBlockBytes});
  }
};
using Memory = std::unique_ptr<uint8_t[], Free>;

// The reader that streams weights, with a buffer for each read.
struct Probe {
  std::unique_ptr<BlockReader> reader;
  Memory memory;
};

Result<Probe> OpenProbe(const std::string& path, int depth) {
  ReaderOptions options;
  options.depth = depth;
  STINT_ASSIGN_OR_RETURN(OpenedReader opened, OpenReader(path, options));
  const auto bytes = static_cast<size_t>(depth * kLastRequest);
  Probe probe{std::move(opened.reader),
              Memory(new (std::align_val_t{kBlockBytes}) uint8_t[bytes])};
  probe.reader->Register({probe.memory.get(), bytes});
  return probe;
}

// Reads at random places for a while, as many at once as the reader takes.
// Returns the microseconds from one end to the next.
Result<std::vector<double>> TimeReads(Probe* probe, int64_t bytes) {
  Random random(static_cast<uint64_t>(bytes));
  BlockReader* reader = probe->reader.get();
  const auto start_read = [&](uint64_t slot) {
    const int64_t place = random.NextInt(kFileBytes / bytes) * bytes;
    uint8_t* to = probe->memory.get() + static_cast<int64_t>(slot) * bytes;
    return reader->Start({place, {to, static_cast<size_t>(bytes)}, slot});
  };
  const auto depth = static_cast<size_t>(reader->depth());
  const int64_t start = NowNs();
  int64_t last = start;
  for (size_t slot = 0; slot < depth; ++slot) {
    STINT_RETURN_IF_ERROR(start_read(slot));
  }
  std::vector<double> us;
  while (us.size() < 3 * depth || MsSince(start) < kMs) {
    STINT_ASSIGN_OR_RETURN(const auto done, reader->Wait(INT64_MAX));
    if (!done.has_value()) continue;
    STINT_RETURN_IF_ERROR(done->status);
    const int64_t now = NowNs();
    us.push_back(static_cast<double>(now - last) * 1e-3);
    last = now;
    STINT_RETURN_IF_ERROR(start_read(done->tag));
  }
  for (size_t left = depth; left > 0; --left) {
    STINT_RETURN_IF_ERROR(reader->Wait(INT64_MAX).status());
  }
  return us;
}

Result<std::vector<IoPoint>> MeasureSizes(const std::string& path) {
  STINT_ASSIGN_OR_RETURN(Probe alone, OpenProbe(path, 1));
  STINT_ASSIGN_OR_RETURN(Probe queued, OpenProbe(path, kDepth));
  std::vector<IoPoint> points;
  for (int64_t bytes = kFirstRequest; bytes <= kLastRequest; bytes *= 2) {
    STINT_ASSIGN_OR_RETURN(const auto one, TimeReads(&alone, bytes));
    STINT_ASSIGN_OR_RETURN(const auto many, TimeReads(&queued, bytes));
    // Ends come in bunches: only their mean says how fast they come.
    points.push_back({bytes, static_cast<double>(bytes) / Quantile(one, 0.25),
                      Median(one), Mean(many)});
  }
  return points;
}

std::string NoteOf(const std::string& path, bool direct) {
  const auto reader = OpenReader(path, {});
  const std::string method =
      reader.ok() ? "by " + std::string(reader->reader->method()) + ", " : "";
  return method + (direct ? "past this system's page cache; the file may still "
                            "lie in the cache of the host or of the drive"
                          : "through the page cache: the file system has no "
                            "direct reads");
}

// Numbers that no layer below can compress away.
std::string NoisyContent() {
  std::string content(static_cast<size_t>(kFileBytes), '\0');
  uint64_t word = 88172645463325252u;
  for (char& c : content) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    c = static_cast<char>(word);
  }
  return content;
}

}  // namespace

Status MeasureStorage(const std::string& folder, DeviceProfile* profile) {
  STINT_RETURN_IF_ERROR(MakeDirectories(folder));
  const std::string path = JoinPath(folder, "io-probe");
  STINT_RETURN_IF_ERROR(WriteFileAtomically(path, NoisyContent()));
  const auto measure = [&]() -> Status {
    STINT_RETURN_IF_ERROR(DropPageCache(path));
    STINT_ASSIGN_OR_RETURN(profile->io, MeasureSizes(path));
    STINT_ASSIGN_OR_RETURN(const DirectFile file, DirectFile::Open(path));
    profile->io_depth = kDepth;
    profile->io_note = NoteOf(path, file.direct());
    return OkStatus();
  };
  const Status status = measure();
  (void)RemoveFile(path);
  return status;
}

}  // namespace stint

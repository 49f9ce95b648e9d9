#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/base/random.h"
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
constexpr double kMs = 100;  // for each size
constexpr int64_t kAlignment = 4096;

struct Free {
  void operator()(uint8_t* p) const {
    ::operator delete[](p, std::align_val_t{kAlignment});
  }
};

// Reads at random places for a while, one at a time.
Result<IoPoint> MeasureRequests(const DirectFile& file, int64_t bytes,
                                uint8_t* buffer) {
  Random random(static_cast<uint64_t>(bytes));
  std::vector<double> us;
  const int64_t start = NowNs();
  while (us.size() < 5 || MsSince(start) < kMs) {
    const int64_t place = random.NextInt(kFileBytes / bytes) * bytes;
    const int64_t begin = NowNs();
    STINT_RETURN_IF_ERROR(
        file.Read(place, {buffer, static_cast<size_t>(bytes)}));
    us.push_back(static_cast<double>(NowNs() - begin) * 1e-3);
  }
  return IoPoint{bytes, static_cast<double>(bytes) / Quantile(us, 0.25),
                 Median(us)};
}

}  // namespace

Status MeasureStorage(const std::string& folder, DeviceProfile* profile) {
  STINT_RETURN_IF_ERROR(MakeDirectories(folder));
  const std::string path = JoinPath(folder, "io-probe");
  // Numbers that no layer below can compress away.
  std::string content(static_cast<size_t>(kFileBytes), '\0');
  uint64_t word = 88172645463325252u;
  for (char& c : content) {
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    c = static_cast<char>(word);
  }
  STINT_RETURN_IF_ERROR(WriteFileAtomically(path, content));
  const auto measure = [&]() -> Status {
    STINT_RETURN_IF_ERROR(DropPageCache(path));
    STINT_ASSIGN_OR_RETURN(const DirectFile file, DirectFile::Open(path));
    const std::unique_ptr<uint8_t[], Free> buffer(new (std::align_val_t{
        kAlignment}) uint8_t[static_cast<size_t>(kLastRequest)]);
    std::vector<IoPoint> points;
    for (int64_t bytes = kFirstRequest; bytes <= kLastRequest; bytes *= 2) {
      STINT_ASSIGN_OR_RETURN(const IoPoint point,
                             MeasureRequests(file, bytes, buffer.get()));
      points.push_back(point);
    }
    profile->io = std::move(points);
    profile->io_note =
        file.direct()
            ? "past this system's page cache; the file may still lie in the "
              "cache of the host or of the drive"
            : "through the page cache: the file system has no direct "
              "reads";
    return OkStatus();
  };
  const Status status = measure();
  (void)RemoveFile(path);
  return status;
}

}  // namespace stint

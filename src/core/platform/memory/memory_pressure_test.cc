#include "core/platform/memory/memory_pressure.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/file.h"
#include "core/platform/system_text.h"
#include "core/platform/temporary_folder.h"
#include "core/testing/foreign_heap.h"

namespace stint {
namespace {

class MemoryPressureTest : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) {
    const std::string path = JoinPath(folder_.path(), name);
    ASSERT_TRUE(MakeDirectories(DirectoryOf(path)).ok());
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
  }
  void Stalls(const std::string& percent) {
    Write("proc/pressure/memory", "some avg10=" + percent +
                                      " avg60=0.00 avg300=0.00 total=1\n"
                                      "full avg10=0.00 avg60=0.00\n");
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().value();
};

TEST_F(MemoryPressureTest, NothingIsReportedNothingRises) {
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, StallsCountWhenTheyBegin) {
  Stalls("0.00");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("35.10");
  EXPECT_TRUE(pressure.Rose(990));
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("1.00");
  EXPECT_FALSE(pressure.Rose(990));
  Stalls("12.00");
  EXPECT_TRUE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, LimitsOfACgroupOfVersionTwo) {
  Write("proc/self/cgroup", "0::/user/app\n");
  Write("sys/fs/cgroup/user/app/memory.events",
        "low 0\nhigh 2\nmax 5\noom 0\n");
  Write("sys/fs/cgroup/user/app/memory.max", "1000\n");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Write("sys/fs/cgroup/user/app/memory.events",
        "low 0\nhigh 2\nmax 6\noom 0\n");
  EXPECT_TRUE(pressure.Rose(990));
  EXPECT_FALSE(pressure.Rose(990));
}

TEST_F(MemoryPressureTest, LimitsOfACgroupOfVersionOne) {
  Write("proc/self/cgroup", "5:cpu:/x\n4:memory:/app\n");
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "7\n");
  Write("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1000\n");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "9\n");
  EXPECT_TRUE(pressure.Rose(990));
  // Files filled the rest.
  Write("sys/fs/cgroup/memory/app/memory.failcnt", "12\n");
  EXPECT_FALSE(pressure.Rose(500));
}

// A file of the kernel whose text the test writes, up to 15 characters: the
// name of a thread. Its size is 0 before it is read, as of all in /proc and of
// cgroups.
class KernelFile {
 public:
  KernelFile() {
    std::atomic<pid_t> tid{0};
    thread_ = std::thread([&tid, this] {
      tid = gettid();
      while (!stop_) SleepUntilNs(NowNs() + 1'000'000);
    });
    while (tid == 0) std::this_thread::yield();
    path_ = "/proc/self/task/" + std::to_string(tid) + "/comm";
  }
  ~KernelFile() {
    stop_ = true;
    thread_.join();
  }
  void Write(const std::string& text) const {
    std::ofstream(path_) << text;
    ASSERT_EQ(ReadSystemText(path_).value(), text);
  }
  const std::string& path() const { return path_; }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
  std::string path_;
};

// The same as above in files that do not say how large they are.
class KernelPressureTest : public MemoryPressureTest {
 protected:
  // The file below the root that has this text until it gets another.
  KernelFile* Link(const std::string& name, const std::string& text) {
    files_.push_back(std::make_unique<KernelFile>());
    const std::string path = JoinPath(folder_.path(), name);
    EXPECT_TRUE(MakeDirectories(DirectoryOf(path)).ok());
    std::filesystem::create_symlink(files_.back()->path(), path);
    files_.back()->Write(text);
    return files_.back().get();
  }
  std::vector<std::unique_ptr<KernelFile>> files_;
};

TEST_F(KernelPressureTest, FilesOfTheKernelHaveTextAndNoSize) {
  const KernelFile file;
  file.Write("some text");
  struct stat info {};
  ASSERT_EQ(stat(file.path().c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode));
  EXPECT_EQ(info.st_size, 0);
}

TEST_F(KernelPressureTest, SeesStalls) {
  const KernelFile* stalls = Link("proc/pressure/memory", "some avg10=0");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  stalls->Write("some avg10=35");
  EXPECT_TRUE(pressure.Rose(990));
}

TEST_F(KernelPressureTest, SeesLimitsOfVersionTwo) {
  Link("proc/self/cgroup", "0::/app");
  const KernelFile* events =
      Link("sys/fs/cgroup/app/memory.events", "high 2 max 5");
  Link("sys/fs/cgroup/app/memory.max", "1000");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  events->Write("high 2 max 6");
  EXPECT_FALSE(pressure.Rose(500));
  events->Write("high 2 max 7");
  EXPECT_TRUE(pressure.Rose(990));
}

TEST_F(KernelPressureTest, SeesLimitsOfVersionOne) {
  Link("proc/self/cgroup", "4:memory:/app");
  const KernelFile* hits = Link("sys/fs/cgroup/memory/app/memory.failcnt", "7");
  Link("sys/fs/cgroup/memory/app/memory.limit_in_bytes", "1000");
  MemoryPressure pressure(folder_.path());
  EXPECT_FALSE(pressure.Rose(990));
  hits->Write("9");
  EXPECT_TRUE(pressure.Rose(990));
}

// A memory cgroup below this process's own; version 1, where any process may
// make one in its own.
class OwnCgroup {
 public:
  OwnCgroup() {
    const auto groups = ReadSystemText("/proc/self/cgroup");
    const std::string name = ":memory:";
    const size_t at = groups.ok() ? groups->find(name) : std::string::npos;
    if (at == std::string::npos) return;
    const size_t begin = at + name.size();
    path_ = "/sys/fs/cgroup/memory" +
            groups->substr(begin, groups->find('\n', begin) - begin) +
            "/stint_test_" + std::to_string(getpid());
    made_ = mkdir(path_.c_str(), 0755) == 0;
  }
  ~OwnCgroup() {
    if (made_) rmdir(path_.c_str());
  }
  bool made() const { return made_; }
  bool Set(const std::string& file, int64_t value) const {
    std::ofstream out(path_ + "/" + file);
    out << value;
    return out.flush().good();
  }
  double Get(const std::string& file) const {
    const auto number = ReadSystemNumber(path_ + "/" + file);
    return number.ok() ? *number : 0;
  }

 private:
  std::string path_;
  bool made_ = false;
};

// In a process of its own: fills a cgroup of `limit` bytes with its memory, all
// but a little, then with pages of the file until the limit is hit. They are
// clean, so the kernel drops them at once, however busy the disk is. 0 when the
// hit is seen, and seen once.
int FillCgroup(const OwnCgroup& group, int64_t limit, const std::string& path) {
  if (!group.Set("cgroup.procs", getpid())) return 2;
  MemoryPressure pressure;
  if (pressure.Rose(limit)) return 3;
  constexpr int64_t kStep = 1 << 18;
  while (group.Get("memory.usage_in_bytes") <
         static_cast<double>(limit - 4 * kStep)) {
    void* more = mmap(nullptr, kStep, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (more == MAP_FAILED) return 4;
  }
  std::ifstream file(path, std::ios::binary);
  std::string block(1 << 16, ' ');
  while (group.Get("memory.failcnt") == 0 &&
         file.read(block.data(), static_cast<std::streamsize>(block.size()))) {
  }
  if (group.Get("memory.failcnt") == 0) return 5;
  if (!pressure.Rose(limit)) return 1;
  // Looking takes memory of the kernel, which hits the limit as well.
  if (!group.Set("memory.limit_in_bytes", 2 * limit)) return 6;
  pressure.Rose(limit);
  return pressure.Rose(limit) ? 7 : 0;
}

TEST_F(MemoryPressureTest, SeesTheLimitOfARealCgroup) {
  if (kForeignHeap)
    GTEST_SKIP() << "needs the memory of a program without sanitizers";
  constexpr int64_t kLimit = 48 << 20;
  const OwnCgroup group;
  if (!group.made() || !group.Set("memory.limit_in_bytes", kLimit)) {
    GTEST_SKIP() << "cgroups cannot be made here";
  }
  struct statfs fs {};
  constexpr long kTmpfs = 0x01021994;
  if (statfs(folder_.path().c_str(), &fs) != 0 || fs.f_type == kTmpfs) {
    GTEST_SKIP() << "files in memory cannot give way";
  }
  const std::string path = JoinPath(folder_.path(), "file");
  ASSERT_TRUE(WriteFileAtomically(path, std::string(16 << 20, 'x')).ok());
  ASSERT_TRUE(DropPageCache(path).ok());
  const pid_t child = fork();
  if (child == 0) _exit(FillCgroup(group, kLimit, path));
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  ASSERT_TRUE(WIFEXITED(state)) << "signal " << WTERMSIG(state);
  EXPECT_EQ(WEXITSTATUS(state), 0);
}

}  // namespace
}  // namespace stint

#include "core/platform/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace stint {
namespace {

// An empty folder of the test's own.
std::string FreshFolder(const std::string& name) {
  const std::string folder = JoinPath(testing::TempDir(), "file_test_" + name);
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(MakeDirectories(folder).ok());
  return folder;
}

// Files cannot grow beyond `bytes` while it lives: what a full disk does.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    old_action_ = signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    signal(SIGXFSZ, old_action_);
  }

 private:
  rlimit old_;
  void (*old_action_)(int);
};

TEST(ReadFile, ReturnsWhatWasWritten) {
  const std::string path = JoinPath(FreshFolder("read"), "a");
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(WriteFileAtomically(path, content).ok());
  EXPECT_EQ(ReadFile(path).value(), content);
}

TEST(ReadFile, MissingFileIsNotFoundAndNamed) {
  const auto content = ReadFile("/nowhere/a");
  EXPECT_EQ(content.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(content.status().message(),
            "/nowhere/a: cannot open: No such file or directory");
}

TEST(ReadFile, FolderIsNotAFile) {
  const std::string folder = FreshFolder("folder");
  EXPECT_EQ(ReadFile(folder).status().message(),
            folder + ": not a regular file");
}

TEST(ReadFile, DeviceIsNotAFile) {
  EXPECT_EQ(ReadFile("/dev/zero").status().code(),
            StatusCode::kInvalidArgument);
}

TEST(MappedFile, HoldsTheBytesWhileItLives) {
  const std::string path = JoinPath(FreshFolder("mapped"), "a");
  ASSERT_TRUE(WriteFileAtomically(path, "hello").ok());
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  unlink(path.c_str());
  const auto bytes = (*file)->bytes();
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "hello");
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const std::string path = JoinPath(FreshFolder("empty"), "a");
  ASSERT_TRUE(WriteFileAtomically(path, "").ok());
  EXPECT_TRUE((*MappedFile::Open(path))->bytes().empty());
}

TEST(MappedFile, MissingFileIsNotFound) {
  EXPECT_EQ(MappedFile::Open("/nowhere/a").status().code(),
            StatusCode::kNotFound);
}

TEST(AtomicFile, TakesItsPlaceOnlyWhenCommitted) {
  const std::string folder = FreshFolder("atomic");
  const std::string path = JoinPath(folder, "a");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  {
    auto file = AtomicFile::Create(path);
    ASSERT_TRUE(file.ok() && file->Append("new").ok());
  }
  EXPECT_EQ(ReadFile(path).value(), "old");
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Append("...ab").ok() && file->WriteAt(1, "xyz").ok());
  EXPECT_EQ(file->bytes(), 5);
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadFile(path).value(), ".xyzb");
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"a"});
}

TEST(AtomicFile, ShowsWhatIsWrittenBeforeItIsCommitted) {
  const std::string path = JoinPath(FreshFolder("shown"), "a");
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok() && file->Append("new").ok());
  const auto shown = file->Map();
  ASSERT_TRUE(shown.ok()) << shown.status().message();
  EXPECT_EQ(std::string((*shown)->bytes().begin(), (*shown)->bytes().end()),
            "new");
  EXPECT_FALSE(FileExists(path));
}

TEST(WriteFileAtomically, JoinsItsParts) {
  const std::string path = JoinPath(FreshFolder("parts"), "a");
  const std::string_view parts[] = {"one", "", " two"};
  ASSERT_TRUE(WriteFileAtomically(path, parts).ok());
  EXPECT_EQ(ReadFile(path).value(), "one two");
}

TEST(WriteFileAtomically, ReplacesAndLeavesNothingBehind) {
  const std::string folder = FreshFolder("replace");
  const std::string path = JoinPath(folder, "a");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(ReadFile(path).value(), "new");
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"a"});
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
  const std::string folder = FreshFolder("full");
  const std::string path = JoinPath(folder, "a");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  Status status;
  {
    const FileSizeLimit limit(4096);
    status = WriteFileAtomically(path, std::string(100000, 'x'));
  }
  EXPECT_EQ(status.code(), StatusCode::kIo);
  EXPECT_EQ(ReadFile(path).value(), "old");
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"a"});
}

TEST(WriteFileAtomically, KeepsTheFolderThatIsInTheWay) {
  const std::string folder = FreshFolder("in_the_way");
  const std::string path = JoinPath(folder, "a");
  ASSERT_TRUE(MakeDirectories(JoinPath(path, "inner")).ok());
  EXPECT_EQ(WriteFileAtomically(path, "new").code(),
            StatusCode::kInvalidArgument);
  EXPECT_TRUE(DirectoryExists(JoinPath(path, "inner")));
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"a"});
}

TEST(WriteFileAtomically, MissingFolderIsNotFound) {
  EXPECT_EQ(WriteFileAtomically("/nowhere/a", "x").code(),
            StatusCode::kNotFound);
}

TEST(WriteFileAtomically, KeepsTheOldFileInAReadOnlyFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string folder = FreshFolder("read_only");
  const std::string path = JoinPath(folder, "a");
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  chmod(folder.c_str(), 0555);
  EXPECT_EQ(WriteFileAtomically(path, "new").code(), StatusCode::kIo);
  chmod(folder.c_str(), 0755);
  EXPECT_EQ(ReadFile(path).value(), "old");
}

TEST(WriteFileAtomically, WritesIntoDevices) {
  EXPECT_TRUE(WriteFileAtomically("/dev/null", "x").ok());
  struct stat info {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  // Through a link, which stays as well.
  const std::string link = JoinPath(FreshFolder("device"), "link");
  std::filesystem::create_symlink("/dev/null", link);
  EXPECT_TRUE(WriteFileAtomically(link, "x").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(WriteFileAtomically("/dev/full", "x").code(), StatusCode::kIo);
}

TEST(WriteFileAtomically, WritesIntoPipes) {
  const std::string folder = FreshFolder("pipe");
  const std::string path = JoinPath(folder, "pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] {
    std::ifstream in(path);
    got.assign(std::istreambuf_iterator<char>(in), {});
  });
  const std::string content(200'000, 'p');
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file.ok() && file->Append("?").ok() &&
              file->Append(content).ok() && file->WriteAt(0, "!").ok());
  EXPECT_TRUE(file->Commit().ok());
  reader.join();
  EXPECT_EQ(got, "!" + content);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"pipe"});
}

TEST(WriteFileAtomically, ReplacesWhatALinkLeadsTo) {
  const std::string folder = FreshFolder("link");
  const std::string file = JoinPath(folder, "file");
  const std::string link = JoinPath(folder, "link");
  std::filesystem::create_symlink("file", link);  // of nothing yet
  for (const char* content : {"new", "newer"}) {
    ASSERT_TRUE(WriteFileAtomically(link, content).ok());
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_FALSE(std::filesystem::is_symlink(file));
    EXPECT_EQ(ReadFile(file).value(), content);
  }
  const std::string loop = JoinPath(folder, "loop");
  std::filesystem::create_symlink("loop", loop);
  EXPECT_EQ(WriteFileAtomically(loop, "x").code(),
            StatusCode::kInvalidArgument);
}

TEST(WriteFileAtomically, RefusesWhatIsNoFile) {
  const std::string folder = FreshFolder("no_file");
  const std::string path = JoinPath(folder, "folder");
  ASSERT_TRUE(MakeDirectories(path).ok());
  const Status status = WriteFileAtomically(path, "x");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), path + ": is a folder, expected a file");
  EXPECT_EQ(ListDirectory(folder).value(), std::vector<std::string>{"folder"});
}

TEST(ListDirectory, IsSorted) {
  const std::string folder = FreshFolder("sorted");
  for (const char* name : {"b", "c", "a"}) {
    ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, name), "").ok());
  }
  EXPECT_EQ(ListDirectory(folder).value(),
            (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ListDirectory, MissingFolderIsNotFound) {
  EXPECT_EQ(ListDirectory("/nowhere").status().code(), StatusCode::kNotFound);
}

TEST(DropPageCache, LeavesContentAndNamesWhatIsMissing) {
  const std::string folder = FreshFolder("drop");
  ASSERT_TRUE(WriteFileAtomically(JoinPath(folder, "a"), "content").ok());
  EXPECT_TRUE(DropPageCache(folder).ok());
  EXPECT_EQ(ReadFile(JoinPath(folder, "a")).value(), "content");
  EXPECT_EQ(DropPageCache("/nowhere/a").code(), StatusCode::kNotFound);
}

TEST(Paths, JoinAndSplit) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(DirectoryOf("a/b/c"), "a/b");
  EXPECT_EQ(DirectoryOf("/c"), "/");
  EXPECT_EQ(DirectoryOf("c"), ".");
  EXPECT_EQ(BaseName("a/b"), "b");
  EXPECT_EQ(BaseName("a/b/"), "b");
  EXPECT_EQ(BaseName("/"), "");
}

}  // namespace
}  // namespace stint

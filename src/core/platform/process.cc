#include "core/platform/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/platform/clock.h"

namespace stint {
namespace {

void CloseDescriptor(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// Both ends of a pipe; what is not taken is closed.
struct Pipe {
  int read_end = -1;
  int write_end = -1;

  bool Open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  ~Pipe() {
    CloseDescriptor(&read_end);
    CloseDescriptor(&write_end);
  }
};

// Keeps a write to a closed pipe from ending this process: the signal is
// blocked, and taken back if the write caused it.
class BrokenPipeGuard {
 public:
  BrokenPipeGuard() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~BrokenPipeGuard() {
    const timespec now{};
    while (sigtimedwait(&set_, nullptr, &now) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipeGuard(const BrokenPipeGuard&) = delete;
  BrokenPipeGuard& operator=(const BrokenPipeGuard&) = delete;

 private:
  sigset_t set_{}, before_{};
};

// posix_spawnp with the three descriptors as standard streams; an errno value.
int Spawn(const std::vector<std::string>& command, const int (&streams)[3],
          int* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) {
    posix_spawn_file_actions_adddup2(&actions, streams[i], i);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  const int error = posix_spawnp(pid, arguments[0], &actions, nullptr,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string ProcessExit::ToString() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name
                         : "signal " + std::to_string(signal);
}

Result<Process> Process::Start(const std::vector<std::string>& command) {
  if (command.empty()) return InvalidArgument("a process needs a command");
  Pipe in, out;
  Process process;
  process.error_ = memfd_create("stderr", MFD_CLOEXEC);
  if (!in.Open() || !out.Open() || process.error_ < 0) {
    return IoError(command[0] + ": no pipe: " + std::strerror(errno));
  }
  const int streams[3] = {in.read_end, out.write_end, process.error_};
  const int error = Spawn(command, streams, &process.pid_);
  if (error != 0) {
    process.pid_ = -1;
    const std::string message =
        command[0] + ": cannot start: " + std::strerror(error);
    return error == ENOENT ? NotFound(message) : IoError(message);
  }
  process.input_ = std::exchange(in.write_end, -1);
  process.output_ = std::exchange(out.read_end, -1);
  return process;
}

Process::~Process() {
  if (pid_ > 0) Kill();
  CloseInput();
  CloseDescriptor(&output_);
  CloseDescriptor(&error_);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      error_(std::exchange(other.error_, -1)),
      buffer_(std::move(other.buffer_)),
      exit_(other.exit_) {}

Status Process::WriteLine(std::string_view line) {
  const BrokenPipeGuard guard;
  std::string text(line);
  text += '\n';
  for (size_t done = 0; done < text.size();) {
    const ssize_t written =
        write(input_, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return IoError(std::string("the process does not read: ") +
                     std::strerror(errno));
    }
    done += static_cast<size_t>(written);
  }
  return OkStatus();
}

Result<std::string> Process::ReadLine(double timeout_seconds) {
  const int64_t end = NowNs() + static_cast<int64_t>(timeout_seconds * 1e9);
  while (true) {
    if (const size_t newline = buffer_.find('\n');
        newline != std::string::npos) {
      std::string line = buffer_.substr(0, newline);
      buffer_.erase(0, newline + 1);
      return line;
    }
    const double left_ms =
        std::max(0.0, static_cast<double>(end - NowNs()) * 1e-6);
    pollfd poll_fd{output_, POLLIN, 0};
    const int ready =
        poll(&poll_fd, 1, static_cast<int>(std::min(std::ceil(left_ms), 1e9)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Cancelled("no answer in time");
    char bytes[65536];
    const ssize_t count = read(output_, bytes, sizeof(bytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return IoError("the process has ended its output");
    buffer_.append(bytes, static_cast<size_t>(count));
  }
}

void Process::CloseInput() { CloseDescriptor(&input_); }

bool Process::Poll() {
  if (pid_ < 0) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == 0) return false;
  pid_ = -1;
  exit_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  exit_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return true;
}

ProcessExit Process::Wait(double timeout_seconds) {
  const int64_t end = NowNs() + static_cast<int64_t>(timeout_seconds * 1e9);
  while (!Poll()) {
    if (NowNs() >= end) return Kill();
    poll(nullptr, 0, 1);  // sleeps for a millisecond
  }
  return exit_;
}

ProcessExit Process::Kill() {
  if (pid_ > 0) kill(pid_, SIGKILL);
  while (!Poll()) poll(nullptr, 0, 1);
  return exit_;
}

std::string Process::ErrorTail(size_t bytes) const {
  struct stat info {};
  if (error_ < 0 || fstat(error_, &info) != 0) return "";
  const size_t count = std::min(bytes, static_cast<size_t>(info.st_size));
  std::string tail(count, '\0');
  const ssize_t read_bytes =
      pread(error_, tail.data(), count,
            static_cast<off_t>(info.st_size) - static_cast<off_t>(count));
  tail.resize(read_bytes > 0 ? static_cast<size_t>(read_bytes) : 0);
  return tail;
}

Status ReplaceProcess(const std::string& program, char** arguments) {
  execv(program.c_str(), arguments);
  return IoError(program + ": " + std::strerror(errno));
}

std::string ExecutablePath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "";
}

}  // namespace stint

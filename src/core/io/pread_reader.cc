#include "core/io/pread_reader.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/platform/direct_file.h"

namespace stint {
namespace {

class PreadReader : public BlockReader {
 public:
  PreadReader(DirectFile file, int depth, int threads)
      : file_(std::move(file)), depth_(depth) {
    waiting_.reserve(static_cast<size_t>(depth));
    done_.reserve(static_cast<size_t>(depth));
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }

  ~PreadReader() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      waiting_.clear();
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::string_view method() const override { return "pread threads"; }
  int depth() const override { return depth_; }

  Status Start(const BlockRead& read) override {
    STINT_RETURN_IF_ERROR(CheckAligned(read));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (in_flight_ == depth_) {
        return ResourceExhausted("more than " + std::to_string(depth_) +
                                 " reads at once");
      }
      ++in_flight_;
      waiting_.push_back(read);
    }
    work_.notify_one();
    return OkStatus();
  }

  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (in_flight_ == 0) return std::optional<BlockDone>();
    const auto ready = [&] { return !done_.empty(); };
    // A time so far off that adding it to now would overflow is for ever.
    constexpr int64_t kForEver = int64_t{1} << 60;
    if (timeout_ns >= kForEver) {
      arrived_.wait(lock, ready);
    } else if (!arrived_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                                  ready)) {
      return std::optional<BlockDone>();
    }
    std::optional<BlockDone> done = std::move(done_.front());
    done_.erase(done_.begin());
    --in_flight_;
    return done;
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      const BlockRead read = waiting_.front();
      waiting_.erase(waiting_.begin());
      lock.unlock();
      Status status = file_.Read(read.offset, read.to);
      lock.lock();
      done_.push_back({read.tag, std::move(status)});
      arrived_.notify_one();
    }
  }

  DirectFile file_;
  const int depth_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable arrived_;
  std::vector<BlockRead> waiting_;  // at most depth_, as are those done
  std::vector<BlockDone> done_;
  int in_flight_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<BlockReader>> OpenPreadReader(const std::string& path,
                                                     int depth, int threads) {
  STINT_ASSIGN_OR_RETURN(DirectFile file, DirectFile::Open(path));
  return std::unique_ptr<BlockReader>(
      std::make_unique<PreadReader>(std::move(file), depth, threads));
}

}  // namespace stint

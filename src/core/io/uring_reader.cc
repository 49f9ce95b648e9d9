#include "core/io/uring_reader.h"

#include <liburing.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/platform/direct_file.h"

namespace stint {
namespace {

class UringReader : public BlockReader {
 public:
  UringReader(DirectFile file, int depth)
      : file_(std::move(file)), reads_(static_cast<size_t>(depth)) {
    for (size_t i = 0; i < reads_.size(); ++i) free_.push_back(i);
  }

  ~UringReader() override {
    if (!open_) return;
    while (free_.size() < reads_.size()) {
      if (!Wait(INT64_MAX).ok()) break;
    }
    io_uring_queue_exit(&ring_);
  }

  // 0 or a negative errno.
  int Open() {
    const auto entries = static_cast<unsigned>(depth());
    // Reads that end do not interrupt the thread, which may be computing; it
    // finds them when it looks. Older kernels do not know that.
    int error = io_uring_queue_init(
        entries, &ring_, IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG);
    if (error == -EINVAL) error = io_uring_queue_init(entries, &ring_, 0);
    open_ = error == 0;
    return error;
  }

  std::string_view method() const override { return "io_uring"; }
  int depth() const override { return static_cast<int>(reads_.size()); }
  bool reads_without_cpu() const override { return true; }

  void Register(std::span<uint8_t> memory) override {
    if (!registered_.empty()) io_uring_unregister_buffers(&ring_);
    registered_ = {};
    if (memory.empty()) return;
    const iovec all{memory.data(), memory.size()};
    // Where locked memory is scarce this fails, and plain reads do.
    if (io_uring_register_buffers(&ring_, &all, 1) == 0) registered_ = memory;
  }

  Status Start(const BlockRead& read) override {
    STINT_RETURN_IF_ERROR(CheckAligned(read));
    io_uring_sqe* entry = free_.empty() ? nullptr : io_uring_get_sqe(&ring_);
    if (entry == nullptr) {
      return ResourceExhausted("more than " + std::to_string(depth()) +
                               " reads at once");
    }
    const size_t slot = free_.back();
    free_.pop_back();
    reads_[slot] = read;
    const auto bytes = static_cast<unsigned>(read.to.size());
    const auto offset = static_cast<uint64_t>(read.offset);
    if (IsRegistered(read.to)) {
      io_uring_prep_read_fixed(entry, file_.fd(), read.to.data(), bytes, offset,
                               0);
    } else {
      io_uring_prep_read(entry, file_.fd(), read.to.data(), bytes, offset);
    }
    io_uring_sqe_set_data64(entry, slot);
    const int submitted = io_uring_submit(&ring_);
    if (submitted > 0) return OkStatus();
    // The entry stays in the queue and goes with the next one that does: by
    // then its memory may be another's.
    io_uring_prep_nop(entry);
    io_uring_sqe_set_data64(entry, kNoSlot);
    free_.push_back(slot);
    return file_.Failed(read.offset, bytes, std::strerror(-submitted));
  }

  Result<std::optional<BlockDone>> Wait(int64_t timeout_ns) override {
    if (free_.size() == reads_.size()) return std::optional<BlockDone>();
    __kernel_timespec timeout{timeout_ns / 1'000'000'000,
                              timeout_ns % 1'000'000'000};
    io_uring_cqe* entry = nullptr;
    int error = io_uring_peek_cqe(&ring_, &entry);
    while (timeout_ns > 0 && (error == -EAGAIN || error == -EINTR)) {
      error = io_uring_wait_cqe_timeout(&ring_, &entry, &timeout);
    }
    if (error == -ETIME || error == -EAGAIN) return std::optional<BlockDone>();
    if (error < 0) {
      return IoError(std::string("io_uring: ") + std::strerror(-error));
    }
    const uint64_t slot = io_uring_cqe_get_data64(entry);
    const int result = entry->res;
    io_uring_cqe_seen(&ring_, entry);
    if (slot == kNoSlot) return Wait(timeout_ns);
    return std::optional<BlockDone>(Complete(slot, result));
  }

 private:
  static constexpr uint64_t kNoSlot = UINT64_MAX;

  bool IsRegistered(std::span<uint8_t> to) const {
    return to.data() >= registered_.data() &&
           to.data() + to.size() <= registered_.data() + registered_.size();
  }

  BlockDone Complete(size_t slot, int result) {
    const BlockRead& read = reads_[slot];
    free_.push_back(slot);
    const bool again = result == -EAGAIN || result == -EINTR;
    if (result < 0 && !again) {
      return {read.tag, file_.Failed(read.offset, read.to.size(),
                                     std::strerror(-result))};
    }
    return {read.tag, file_.Read(read.offset, read.to, again ? 0 : result)};
  }

  DirectFile file_;
  io_uring ring_{};
  bool open_ = false;
  std::vector<BlockRead> reads_;  // by slot
  std::vector<size_t> free_;      // slots without a read in flight
  std::span<uint8_t> registered_;
};

}  // namespace

Result<std::unique_ptr<BlockReader>> OpenUringReader(const std::string& path,
                                                     int depth) {
  STINT_ASSIGN_OR_RETURN(DirectFile file, DirectFile::Open(path));
  auto reader = std::make_unique<UringReader>(std::move(file), depth);
  const int error = reader->Open();
  if (error != 0) {
    return Unsupported(std::string("io_uring: ") + std::strerror(-error));
  }
  return std::unique_ptr<BlockReader>(std::move(reader));
}

}  // namespace stint

#include "core/io/memory_reader.h"

#include <cstring>
#include <deque>
#include <string>

namespace stint {
namespace {

class MemoryReader : public BlockReader {
 public:
  MemoryReader(std::span<const uint8_t> bytes, int depth)
      : bytes_(bytes), depth_(depth) {}

  std::string_view method() const override { return "memory"; }
  int depth() const override { return depth_; }

  Status Start(const BlockRead& read) override {
    STINT_RETURN_IF_ERROR(CheckAligned(read));
    if (static_cast<int>(done_.size()) == depth_) {
      return ResourceExhausted("more than " + std::to_string(depth_) +
                               " reads at once");
    }
    done_.push_back({read.tag, Copy(read)});
    return OkStatus();
  }

  Result<std::optional<BlockDone>> Wait(int64_t /*timeout_ns*/) override {
    if (done_.empty()) return std::optional<BlockDone>();
    std::optional<BlockDone> done = std::move(done_.front());
    done_.pop_front();
    return done;
  }

 private:
  Status Copy(const BlockRead& read) const {
    const auto offset = static_cast<size_t>(read.offset);
    if (offset > bytes_.size() || read.to.size() > bytes_.size() - offset) {
      return IoError("memory: cannot read " + std::to_string(read.to.size()) +
                     " bytes at " + std::to_string(offset) + " of " +
                     std::to_string(bytes_.size()));
    }
    std::memcpy(read.to.data(), bytes_.data() + offset, read.to.size());
    return OkStatus();
  }

  std::span<const uint8_t> bytes_;
  int depth_;
  std::deque<BlockDone> done_;
};

}  // namespace

std::unique_ptr<BlockReader> MakeMemoryReader(std::span<const uint8_t> bytes,
                                              int depth) {
  return std::make_unique<MemoryReader>(bytes, depth);
}

}  // namespace stint

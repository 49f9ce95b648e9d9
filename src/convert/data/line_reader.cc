#include "convert/data/line_reader.h"

namespace stint {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Status LineReader::ReadMore() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t before = buffer_.size();
  if (before > kMaxLineBytes) {
    return Damaged("line " + std::to_string(number_ + 1) + ": longer than " +
                   std::to_string(kMaxLineBytes) + " bytes");
  }
  buffer_.resize(before + chunk_bytes_);
  STINT_ASSIGN_OR_RETURN(const size_t count,
                         text_->Read({&buffer_[before], chunk_bytes_}));
  buffer_.resize(before + count);
  ended_ = count < chunk_bytes_;
  return OkStatus();
}

std::string_view LineReader::Take(size_t bytes) {
  const std::string_view line(buffer_.data() + begin_, bytes);
  begin_ += bytes;
  ++number_;
  return line;
}

Result<std::optional<std::string_view>> LineReader::Next() {
  if (number_ == 0) {
    while (!ended_ && buffer_.size() < kByteOrderMark.size()) {
      STINT_RETURN_IF_ERROR(ReadMore());
    }
    if (buffer_.starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  }
  size_t searched = 0;  // bytes without an end of line
  size_t end = std::string::npos;
  while (true) {
    end = buffer_.find('\n', begin_ + searched);
    if (end != std::string::npos || ended_) break;
    searched = buffer_.size() - begin_;
    STINT_RETURN_IF_ERROR(ReadMore());
  }
  if (end == std::string::npos) {
    end = buffer_.size();
    if (end == begin_) return std::optional<std::string_view>();
  }
  std::string_view line = Take(end - begin_);
  if (begin_ < buffer_.size()) ++begin_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::optional(line);
}

}  // namespace stint

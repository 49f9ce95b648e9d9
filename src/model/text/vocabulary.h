#pragma once
// Token text to id: an open-addressing hash table over one block of text, made
// once and then only read, by any number of threads.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stint {

class Vocabulary {
 public:
  static constexpr int32_t kNone = -1;

  // Room for `count` entries with `text_bytes` of text in all; both at most
  // 2^31.
  Vocabulary(size_t count, size_t text_bytes);

  // False, and nothing added, when the text is there already. At most `count`
  // entries may be added.
  bool Add(std::string_view text, int32_t id);

  // The index of an entry (in order of addition), or kNone.
  int32_t Find(std::string_view text) const { return Find(text, HashOf(text)); }
  // The same where the caller has hashed `text` byte by byte with Extend.
  int32_t Find(std::string_view text, uint64_t hash) const;

  int32_t id(int32_t index) const { return entries_[index].id; }
  std::string_view text(int32_t index) const {
    return std::string_view(text_).substr(entries_[index].offset,
                                          entries_[index].length);
  }
  size_t size() const { return entries_.size(); }
  size_t longest() const { return longest_; }  // bytes

  static constexpr uint64_t kEmptyHash = 0x243f6a8885a308d3u;
  static uint64_t Extend(uint64_t hash, char c) {
    return (hash ^ static_cast<uint8_t>(c)) * 0x9e3779b97f4a7c15u;
  }
  static uint64_t HashOf(std::string_view text);

 private:
  struct Entry {
    uint32_t offset;
    uint32_t length;
    int32_t id;
  };
  struct Slot {
    uint32_t tag = 0;  // hash bits beside those that pick the slot
    int32_t entry = kNone;
  };
  size_t SlotOf(uint64_t hash) const { return hash >> shift_; }
  static uint32_t TagOf(uint64_t hash) {
    return static_cast<uint32_t>(hash >> 16);
  }

  std::string text_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  int shift_;
  size_t longest_ = 0;
};

}  // namespace stint

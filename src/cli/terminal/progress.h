#pragma once
// Progress of long work on stderr: a bar on a terminal, a line every ten
// percent elsewhere, nothing for work under a second.

#include <cstdint>
#include <string>

namespace stint::cli {

class Progress {
 public:
  explicit Progress(const std::string& what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The time left is judged by the pace since the first call, so that what was
  // done long before costs nothing.
  void Update(int64_t done, int64_t total);

 private:
  std::string TimeLeft(int64_t done, int64_t total) const;
  void DrawBar(int64_t done, int64_t total);
  void PrintLine(int64_t done, int64_t total);

  std::string what_;
  int64_t start_ns_;
  int64_t first_ns_ = 0;  // of the first update; 0: none yet
  int64_t first_done_ = 0;
  int64_t drawn_ns_ = 0;
  int64_t printed_tenth_ = 0;
  bool is_terminal_;
  bool visible_ = false;
};

}  // namespace stint::cli

#include "cli/terminal/progress.h"

#include <cstdio>

#include "core/base/printable.h"
#include "core/platform/clock.h"
#include "core/platform/terminal.h"

namespace stint::cli {
namespace {

constexpr double kQuietSeconds = 1.0;
// Ten redraws a second are smooth and cost nothing.
constexpr int64_t kRedrawNs = 100'000'000;
constexpr int kBarWidth = 30;

}  // namespace

Progress::Progress(const std::string& what)
    : what_(Printable(what)),
      start_ns_(NowNs()),
      is_terminal_(StderrIsTerminal()) {}

Progress::~Progress() {
  if (visible_ && is_terminal_) std::fprintf(stderr, "\r\033[K");
}

void Progress::Update(int64_t done, int64_t total) {
  const int64_t now = NowNs();
  if (first_ns_ == 0) {
    first_ns_ = now;
    first_done_ = done;
  }
  const double seconds = static_cast<double>(now - start_ns_) * 1e-9;
  if (seconds < kQuietSeconds || total <= 0) return;
  if (!is_terminal_) {
    PrintLine(done, total);
  } else if (now - drawn_ns_ >= kRedrawNs) {
    drawn_ns_ = now;
    DrawBar(done, total);
  }
}

std::string Progress::TimeLeft(int64_t done, int64_t total) const {
  if (done <= first_done_) return "";
  const double seconds = static_cast<double>(NowNs() - first_ns_) * 1e-9 /
                         static_cast<double>(done - first_done_) *
                         static_cast<double>(total - done);
  char text[48];
  if (seconds < 120) {
    std::snprintf(text, sizeof(text), ", %.0f s left", seconds);
  } else {
    std::snprintf(text, sizeof(text), ", %.0f min left", seconds / 60);
  }
  return text;
}

void Progress::DrawBar(int64_t done, int64_t total) {
  visible_ = true;
  const int filled = static_cast<int>(kBarWidth * done / total);
  std::string bar(static_cast<size_t>(filled), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r%s [%s] %lld/%lld%s\033[K", what_.c_str(),
               bar.c_str(), static_cast<long long>(done),
               static_cast<long long>(total), TimeLeft(done, total).c_str());
  std::fflush(stderr);
}

void Progress::PrintLine(int64_t done, int64_t total) {
  const int64_t tenth = 10 * done / total;
  if (tenth <= printed_tenth_) return;
  printed_tenth_ = tenth;
  std::fprintf(stderr, "%s: %lld of %lld%s\n", what_.c_str(),
               static_cast<long long>(done), static_cast<long long>(total),
               TimeLeft(done, total).c_str());
}

}  // namespace stint::cli

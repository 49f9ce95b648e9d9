#pragma once
// Ctrl-C as a question that long work asks, so that it can clean up.

namespace stint {

// While one lives, SIGINT and SIGTERM do not end the process but are
// remembered. One at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool interrupted() const;
};

}  // namespace stint

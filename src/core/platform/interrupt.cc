#include "core/platform/interrupt.h"

#include <signal.h>

namespace stint {
namespace {

// A signal handler can reach nothing but globals.
volatile sig_atomic_t signals_seen = 0;

void Remember(int /*signal*/) { signals_seen = 1; }

// No SA_RESTART is needed: every wait of this room goes on after a signal.
void Install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  signals_seen = 0;
  Install(Remember);
}

InterruptGuard::~InterruptGuard() { Install(SIG_DFL); }

bool InterruptGuard::interrupted() const { return signals_seen != 0; }

}  // namespace stint

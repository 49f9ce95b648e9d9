#include "core/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace stint {

bool StderrIsTerminal() { return isatty(STDERR_FILENO) != 0; }

int StdoutColumns() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

}  // namespace stint

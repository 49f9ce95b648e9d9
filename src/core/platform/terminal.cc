#include "core/platform/terminal.h"

#include <unistd.h>

namespace stint {

bool StderrIsTerminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace stint

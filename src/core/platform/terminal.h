#pragma once
// Whether a person is watching.

namespace stint {

bool StderrIsTerminal();

}  // namespace stint

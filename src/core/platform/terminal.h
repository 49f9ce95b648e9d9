#pragma once
// Whether a person is watching, and how much they can see.

namespace stint {

bool StderrIsTerminal();

// Columns of the terminal that standard output goes to; 0 when it is none.
int StdoutColumns();

}  // namespace stint

#pragma once
// Plots in characters: lines in Braille dots, series told apart by letters, so
// that no color is needed.

#include <string>

#include "lab/plot/plot.h"

namespace stint {

// Lines of at most `columns` characters (at least 40 are used), with the axes'
// labels and a legend; UTF-8.
std::string TerminalPlot(const Plot& plot, int columns);

// The cells in aligned columns, cut to `columns`.
std::string TerminalTable(const Table& table, int columns);

}  // namespace stint

#pragma once
// The memory that the program itself takes: pages of code and constants count
// as the process's own once they are touched, although most run once, at the
// start.

namespace stint {

// Gives back the pages of code and constants of the program and its libraries;
// what is needed again comes back from the page cache, about 0.5 us for each
// few pages. From the first call on, the system maps no more than the page that
// is touched (Linux 6.7 and later), or at most 16 KiB, where it maps 64 KiB by
// default. A debugger's breakpoints are lost. Call it where a phase of the
// program ends, not while models run.
void ReleaseProgramPages();

// Has freed memory go back to the system at once: blocks of 64 KiB and more are
// mapped one by one, and all threads share one heap. For programs within a
// memory budget; many large blocks in quick succession become slower.
void KeepHeapSmall();

// Gives back what the heap has free.
void ReleaseFreeHeap();

}  // namespace stint

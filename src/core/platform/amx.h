#pragma once
// Whether AMX can be used. CPUID alone is not trusted: some hypervisors
// advertise AMX and refuse it, others hide its leaf and allow it.

namespace stint {

// Asks the kernel for tile state and multiplies two tiles under a SIGILL guard.
bool AmxWorks();

}  // namespace stint

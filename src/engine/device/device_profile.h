#pragma once
// What a machine can do, as measured: arithmetic, memory, storage, energy
// meter. Pure data and its text form.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/meter/energy/energy_probe.h"
#include "stint/status.h"

namespace stint {

// A figure of one thread and of all threads together.
struct CoreAndAll {
  double core = 0;
  double all = 0;
};

// Reads of one size by the reader that streams weights.
struct IoPoint {
  int64_t request_bytes = 0;
  // One after the other:
  double mbytes_per_second = 0;  // of the quicker quarter
  double latency_us = 0;         // median
  // `io_depth` at once: from the end of one to that of the next.
  double queued_us = 0;
};

struct DeviceProfile {
  std::string cpu;
  std::string isa;
  int cores = 1;
  int threads = 1;
  // A multiply-add counts as two operations.
  CoreAndAll fp32_gflops;
  CoreAndAll int8_gops;
  CoreAndAll bf16_gflops;
  // Reads of data that lies in a cache of this level, or in none. GB/s.
  CoreAndAll l2_gbps;
  CoreAndAll l3_gbps;
  CoreAndAll dram_gbps;
  std::vector<IoPoint> io;  // by size, ascending; empty: not measured
  int io_depth = 8;
  std::string io_note;  // what `io` holds for, or why it is empty
  EnergyMeter energy_meter;
};

// Lines "name value...".
std::string ToText(const DeviceProfile& profile);
// kDamaged names the first line that is wrong.
Result<DeviceProfile> ParseDeviceProfile(std::string_view text);

}  // namespace stint

#include "lab/peers/threads_note.h"

#include <cstdio>
#include <cstdlib>

namespace stint {
namespace {

constexpr double kSpareCpus = 0.3;
// Between two runs of a Python peer.
constexpr double kLoopMs = 0.02;

}  // namespace

std::string ThreadsNote(const Setting& condition, std::optional<double> cpu_ms,
                        std::optional<double> run_ms) {
  const std::string threads = ValueOf(condition, "threads");
  if (threads.empty() || !cpu_ms || !run_ms || !(*run_ms > 0)) return "";
  const double allowed = std::strtod(threads.c_str(), nullptr) + kSpareCpus;
  if (*cpu_ms - kLoopMs <= allowed * *run_ms) return "";
  char text[80];
  std::snprintf(text, sizeof(text), "uses %.1f CPUs, threads is %s",
                *cpu_ms / *run_ms, threads.c_str());
  return text;
}

}  // namespace stint

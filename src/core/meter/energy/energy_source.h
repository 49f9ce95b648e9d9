#pragma once
// Where joules come from, and how much that is worth.

#include <memory>
#include <string>

#include "stint/status.h"

namespace stint {

// How an amount of energy was obtained; amounts of two grades are not compared.
enum class EnergyGrade {
  kCounter,   // A: a counter of the hardware
  kSensor,    // B: power, integrated by us
  kExternal,  // C: the log of a meter outside of the machine
  kModeled,   // D: CPU time times watts, +-40 %
  kNone,      // E: no energy at all
};
char Letter(EnergyGrade grade);          // 'A'
const char* ShownAs(EnergyGrade grade);  // "measured", "integrated", ...

// Shorter blocks are measured, but their edges weigh too much to be compared.
inline constexpr double kLeastBlockSeconds = 1;

// Used by one thread at a time.
class EnergySource {
 public:
  virtual ~EnergySource() = default;

  const std::string& name() const { return name_; }  // "RAPL package-0 dram"
  EnergyGrade grade() const { return grade_; }
  // The most that is believed of it: twice what the hardware is made for.
  double most_watts() const { return most_watts_; }
  // How often a counter moves; a block is uncertain by that at both edges.
  double refresh_seconds() const { return refresh_seconds_; }
  // The shortest block whose energy can be compared.
  double least_block_seconds() const { return least_block_seconds_; }

  // Grade A: joules since some moment; a counter that wraps goes on, provided
  // that it is read at least once in each turn. Grade B: watts now.
  virtual Result<double> Read() = 0;

 protected:
  EnergySource(std::string name, EnergyGrade grade)
      : name_(std::move(name)), grade_(grade) {}
  void set_most_watts(double watts) { most_watts_ = watts; }
  void set_refresh_seconds(double seconds) { refresh_seconds_ = seconds; }
  void set_least_block_seconds(double seconds) {
    least_block_seconds_ = seconds;
  }

 private:
  std::string name_;
  EnergyGrade grade_;
  double most_watts_ =
      2000;  // two large packages with twice their design power
  double refresh_seconds_ = 1e-3;  // RAPL
  double least_block_seconds_ = kLeastBlockSeconds;
};

using FoundEnergySource = Result<std::unique_ptr<EnergySource>>;

}  // namespace stint

#pragma once
// Energy of a stretch of time: a counter is read at its edges only, a sensor is
// sampled by a thread meanwhile.

#include <memory>

#include "core/meter/energy/energy_reading.h"
#include "core/meter/energy/energy_source.h"

namespace stint {

// Of a sensor: fewer are measured, but not compared.
inline constexpr int64_t kLeastSamples = 20;

class EnergyBlock {
 public:
  // Begins now. The source must outlive the block and is not read by others
  // until Stop.
  static Result<EnergyBlock> Start(EnergySource* source);
  ~EnergyBlock();
  EnergyBlock(EnergyBlock&&) noexcept;

  // Ends the block; called once.
  Result<EnergyReading> Stop();

 private:
  class Sampler;
  EnergyBlock(EnergySource* source, double joules, int64_t start_ns);

  EnergySource* source_;
  double joules_;  // of a counter at the start
  int64_t start_ns_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace stint
